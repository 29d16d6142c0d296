import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { ConditionFailed } from '../../../../shared/platform/data/condition-failed.ts';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import { leaseOn } from '../../../../shared/platform/data/lease.ts';
import { notes } from './notes.ts';

const jobEntity = defineEntity({
  type: 'job',
  schema: z.object({
    id: z.string(),
    worker: z.string(),
    since: z.int(),
    until: z.int(),
    result: z.string().optional(),
  }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition('JOBS'), SK: id }),
});
const leaseMs = 60_000;
const lease = leaseOn(jobEntity, { holder: 'worker', until: 'until', since: 'since', format: 'ms', leaseMs });

const letterEntity = defineEntity({
  type: 'letter',
  schema: z.object({ id: z.string(), status: z.string(), leaseUntil: z.string().optional() }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition('LETTERS'), SK: id }),
  summary: ['status'],
});
const letterLease = leaseOn(letterEntity, { until: 'leaseUntil', format: 'iso', leaseMs });

const start = Date.parse('2026-11-29T12:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1_000);

beforeEach(() => vi.stubEnv('ALONE_SINCE', '0'));
afterEach(() => vi.unstubAllEnvs());

function jobs() {
  const { table } = notes();
  const key = { id: 'a' };
  const send = ({ condition, ...changes }: Parameters<typeof toWrite>[0]) =>
    table.commit([toWrite({ ...changes, condition })]).then(
      () => true,
      (error) => {
        if (error instanceof ConditionFailed) return false;
        throw error;
      },
    );
  const toWrite = ({ set, condition }: { set: object; condition: ReturnType<typeof lease.isHolder> }) =>
    table.writes.update(jobEntity, key, { set: { ...key, ...set } }, condition);
  return {
    acquire: (worker: string, seconds: number) => send(lease.acquire(at(seconds), worker)),
    extend: (worker: string, seconds: number) => send(lease.extend(at(seconds), worker)),
    finish: (worker: string) => send({ set: { result: worker }, condition: lease.isHolder(worker) }),
    read,
  };
  async function read() {
    const item = await table.get(jobEntity, key, { consistent: true });
    if (!item) throw new Error('Nobody has acquired it');
    return item;
  }
}

test('one process has a lease, until its time is over; it may acquire it again, as a repeated request does', async () => {
  const { acquire, read } = jobs();
  expect(await acquire('one', 0)).toBe(true);
  expect(await read()).toEqual({ id: 'a', worker: 'one', since: start, until: start + leaseMs });
  expect(await acquire('one', 1)).toBe(true);
  expect(await acquire('two', 60)).toBe(false);
  expect(lease.isHeld(await read(), at(60))).toBe(true);
  expect(lease.isHeld(await read(), at(61))).toBe(false);
  expect(await acquire('two', 61)).toBe(true);
  expect((await read()).worker).toBe('two');
});

test('who extends a lease keeps it; who lost it extends and writes nothing', async () => {
  const { acquire, extend, finish, read } = jobs();
  await acquire('one', 0);
  expect(await extend('one', 30)).toBe(true);
  expect(await acquire('two', 61)).toBe(false);
  expect(await acquire('two', 90)).toBe(true);
  expect(await extend('one', 91)).toBe(false);
  expect(await finish('one')).toBe(false);
  expect(await finish('two')).toBe(true);
  expect(await read()).toMatchObject({ result: 'two', until: start + 150_000 });
});

test('a process that is alone takes what an earlier one had', async () => {
  const { acquire, read } = jobs();
  await acquire('one', 0);
  vi.stubEnv('ALONE_SINCE', String(start + 1));
  expect(lease.isHeld(await read(), at(2))).toBe(false);
  expect(await acquire('two', 2)).toBe(true);
  expect(await acquire('three', 3)).toBe(false);
});

test('without a holder, the end of a lease names who has it', async () => {
  const { table } = notes();
  const key = { id: 'a' };
  await table.commit([table.writes.insert(letterEntity, { ...key, status: 'pending' })]);
  const acquire = (seconds: number) => {
    const { set, condition } = letterLease.acquire(at(seconds));
    return table.updateAndGet(letterEntity, table.writes.update(letterEntity, key, { set }, condition));
  };
  const finish = (own: string) =>
    table.commit([
      table.writes.update(
        letterEntity,
        key,
        { set: { status: 'sent' }, remove: ['leaseUntil'] },
        letterLease.isHolder(own),
      ),
    ]);
  const { leaseUntil: first = '' } = await acquire(0);
  expect(first).toBe('2026-11-29T12:01:00.000Z');
  await expect(acquire(59)).rejects.toThrow(ConditionFailed);
  const { leaseUntil: second = '' } = await acquire(60);
  await expect(finish(first)).rejects.toThrow(ConditionFailed);
  await finish(second);
  expect(await table.get(letterEntity, key)).toEqual({ id: 'a', status: 'sent' });
});
