import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import {
  attemptItem,
  defineOutbox,
  hasLease,
  outboxQueue,
  scheduleAttempt,
  toOutboxKeys,
} from '../../../../shared/domain/deliveries/outbox.ts';
import { sweepOutbox } from '../../../../shared/domain/deliveries/outbox-worker.ts';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

const graceMs = 5_000;

/** With a sweep of its own, which finds nothing of other tests. */
function definePostcards() {
  const sweeping = { sweep: `POSTCARD_${randomUUID()}`, graceMs };
  const postcardEntity = defineEntity({
    type: 'postcard',
    schema: z.object({
      town: z.string(),
      id: z.string(),
      tries: z.int(),
      nextAttemptAt: z.string(),
      leaseUntil: z.string().optional(),
    }),
    key: ({ town, id }: { town: string; id: string }) => ({ PK: tenantPartition(`TOWN#${town}`), SK: id }),
    index: ({ id, nextAttemptAt }) => toOutboxKeys(sweeping, id, nextAttemptAt),
  });
  return defineOutbox({
    noun: 'a delivery',
    entity: postcardEntity,
    sweeping,
    toKey: ({ town, id }: { town: string; id: string }) => ({ town, id }),
    readKey: ({ PK, SK: id }) => ({ town: PK.split('#').at(-1) ?? '', id }),
    queue: 'DELIVERIES_QUEUE_URL',
  });
}

const key = { town: 'Bonn', id: 'card' };

beforeEach(() => vi.stubEnv('ALONE_SINCE', '0'));

async function postcard() {
  const postcards = definePostcards();
  const { entity } = postcards;
  const sent = await silentQueue<object>('DELIVERIES_QUEUE_URL');
  const clock = { at: Date.parse('2030-01-01T00:00:00.000Z') };
  const base = countingRuntime().scopeOf(`tenant-${randomUUID()}`);
  const scope: Scope = { ...base, now: () => new Date(clock.at) };
  const { table } = scope;
  const at = (seconds: number) => new Date(clock.at + seconds * 1_000).toISOString();
  await table.commit([table.writes.insert(entity, { ...key, tries: 0, nextAttemptAt: at(0) })]);
  /** Attempts it, and does something meanwhile. @param pauseMs Of a failure; without it, the postcard arrives. */
  const attempt = async (pauseMs?: number, meanwhile = async () => {}) => {
    let attempted = 0;
    await attemptItem(scope, postcards, key, {
      attempt: async () => {
        attempted++;
        await meanwhile();
      },
      settle: (item) =>
        pauseMs === undefined
          ? table.commit([table.writes.remove(entity, item, hasLease(postcards, item))])
          : scheduleAttempt(scope, postcards, item, { pauseMs, set: { tries: item.tries + 1 } }),
    });
    return attempted;
  };
  return {
    attempt,
    at,
    clock,
    sent,
    scope,
    postcards,
    current: () => table.get(entity, key, { consistent: true }),
    sweep: () => sweepOutbox({ scopeOf: () => scope }, postcards, scope.now(), () => 60_000),
  };
}

test('an item is attempted when it is due, by one process at a time, and again after a pause', async () => {
  const { attempt, at, clock, sent, scope, current } = await postcard();
  expect(await attempt(30_000, async () => expect(await attempt()).toBe(0))).toBe(1);
  expect(await current()).toEqual({ ...key, tries: 1, nextAttemptAt: at(30) });
  expect(sent).toMatchObject([{ body: { tenant: scope.table.tenant, ...key }, delaySeconds: 30 }]);
  expect(await attempt()).toBe(0);
  clock.at += 30_000;
  expect(await attempt()).toBe(1);
  expect(await current()).toBeUndefined();
  expect(await attempt()).toBe(0);
});

test('a process whose lease is over stores nothing of its attempt', async () => {
  const { attempt, clock, sent, current } = await postcard();
  const other = async () => {
    clock.at += 60_000;
    expect(await attempt(120_000)).toBe(1);
  };
  await attempt(undefined, other);
  expect(await current()).toMatchObject({ tries: 1 });
  expect(sent).toHaveLength(1);
});

test('the sweep sends a message for an item whose message is lost, and then leaves it alone for ten minutes', async () => {
  const { clock, sent, scope, sweep } = await postcard();
  await sweep();
  expect(sent).toEqual([]);
  clock.at += graceMs;
  await sweep();
  expect(sent).toMatchObject([{ body: { tenant: scope.table.tenant, ...key } }]);
  clock.at += 9 * 60_000;
  await sweep();
  expect(sent).toHaveLength(1);
  clock.at += 60_000;
  await sweep();
  expect(sent).toHaveLength(2);
});

test('no message asks for an attempt that is due later than a queue can delay it: the sweep does when it is due', async () => {
  const { attempt, clock, sent, sweep } = await postcard();
  await attempt(3_600_000);
  expect(sent).toEqual([]);
  clock.at += 3_600_000;
  await sweep();
  expect(sent).toHaveLength(1);
});

test('a message has the key of an item, and nothing else of it', async () => {
  const { sent, scope, postcards } = await postcard();
  const item = { ...key, tries: 3, nextAttemptAt: '' };
  await outboxQueue(postcards)(scope).send(item, 20, 2);
  expect(sent[0]?.body).toEqual({ tenant: scope.table.tenant, ...key, waits: 2 });
});
