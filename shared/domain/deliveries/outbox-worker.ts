/**
 * What workers do with the items of an outbox: attempt those that messages name, and send messages that are missing.
 *
 * Each tenant's messages of an invocation are attempted in one of its places (`platform/tenant-pools.ts`), so that no tenant
 * has all of a worker's concurrency. Without a free place, a message asks again later, and the sweep of its item waits as long.
 * A message whose attempt throws is delivered again by SQS. The sweep runs every minute and sends a message for each item
 * that is due and has none: after long pauses, and after crashes.
 */

import type { SQSBatchItemFailure, SQSBatchResponse } from 'aws-lambda';
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { runWithLogFields } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import type { QueueMessage } from '../../platform/aws/worker.ts';
import { listDue } from '../../platform/cleanup/sweeps.ts';
import type { AnyEntity, KeyOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { productionRuntime, type Runtime } from '../../platform/runtime.ts';
import { acquirePlace, type Pool, placeDelaySeconds } from '../../platform/tenant-pools.ts';
import { earlyMs, type Outbox, outboxQueue, postponeSweep } from './outbox.ts';

type Message<Key> = Key & {
  tenant: string;
  /** How often it found no place of the tenant. */
  waits?: number | undefined;
};

interface Work<E extends AnyEntity, Key extends { id: string }> {
  outbox: Outbox<E, Key>;
  /** A tenant's part of the worker. */
  pool: Pool;
  attemptOf: (scope: Scope) => (key: Key) => Promise<void>;
  /** For the log. */
  fieldsOf: (key: Key) => Record<string, string>;
}

/** @returns the messages that SQS delivers again */
export async function attemptReceived<E extends AnyEntity, Key extends { id: string } & KeyOf<E>>(
  received: readonly QueueMessage<Message<Key>>[],
  work: Work<E, Key>,
): Promise<SQSBatchResponse> {
  const byTenant = Map.groupBy(received, ({ message }) => message.tenant);
  const failed = await Promise.all(
    [...byTenant].map(([tenant, messages]) =>
      attemptInPlace(productionRuntime().scopeOf(tenant), messages, work),
    ),
  );
  return { batchItemFailures: failed.flat() };
}

async function attemptInPlace<E extends AnyEntity, Key extends { id: string } & KeyOf<E>>(
  scope: Scope,
  received: readonly QueueMessage<Message<Key>>[],
  work: Work<E, Key>,
): Promise<SQSBatchItemFailure[]> {
  const acquiring = acquirePlace(scope, work.pool);
  const attempt = work.attemptOf(scope);
  const failed = await Promise.all(
    received.map(({ record, message }) =>
      runWithLogFields({ tenant: message.tenant, ...work.fieldsOf(message) }, async () => {
        try {
          await ((await acquiring) ? attempt(message) : askLater(scope, work, message));
          return [];
        } catch (error) {
          log.error(`The attempt of ${work.outbox.noun} failed and will be retried`, { error });
          return [{ itemIdentifier: record.messageId }];
        }
      }),
    ),
  );
  await acquiring.then(
    (place) => place?.release(),
    () => {},
  );
  return failed.flat();
}

/** The sweep would only add a message. */
async function askLater<E extends AnyEntity, Key extends { id: string } & KeyOf<E>>(
  scope: Scope,
  { outbox, pool }: Work<E, Key>,
  message: Message<Key>,
): Promise<void> {
  const { waits = 0 } = message;
  const delaySeconds = placeDelaySeconds(waits);
  const now = scope.now().getTime();
  const times = { due: new Date(now + earlyMs), sentAt: new Date(now + delaySeconds * 1_000) };
  if (!(await postponeSweep<E, Key>(scope, outbox, message, times))) return;
  log.info(`The attempt of ${outbox.noun} waits for others of its tenant`, { waits, pool: pool.name });
  await outboxQueue(outbox)(scope).send(message, delaySeconds, waits + 1);
}

const sweptAtOnce = 10;
/** Reserved for what began. */
const reserveMs = 15_000;

export async function sweepOutbox<E extends AnyEntity, Key extends { id: string } & KeyOf<E>>(
  { scopeOf }: Runtime,
  outbox: Outbox<E, Key>,
  due: Date,
  timeLeftMs: () => number,
): Promise<void> {
  async function resend(scope: Scope, key: Key): Promise<void> {
    await outboxQueue(outbox)(scope).send(key);
    await postponeSweep<E, Key>(scope, outbox, key, { due, sentAt: due });
  }
  for await (const page of listDue(scopeOf('').table, outbox.sweeping.sweep, due)) {
    const work = ({ tenant, ...item }: (typeof page)[number]) =>
      resend(scopeOf(tenant), outbox.readKey(item)).catch((error) =>
        log.error(`The sweep could not send the message of ${outbox.noun}`, { error, tenant, item: item.SK }),
      );
    for await (const _done of mapConcurrently(page, sweptAtOnce, work));
    if (timeLeftMs() < reserveMs) return;
  }
}
