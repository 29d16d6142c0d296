/**
 * The mechanism of an outbox: items that processes attempt until they are done, for webhooks (`delivery.ts`) and exports of
 * runs (`telemetry/run-export.ts`).
 *
 * An item is written with what caused it; then a message asks for its attempt. A worker leases the item, attempts, and stores
 * the result with the time of the next attempt, or the end. If the message or the worker is lost, the sweep finds the item by
 * its index and sends another message. So every item is attempted at least once, and a receiver may get it twice.
 */

import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import {
  type AnyEntity,
  type Entity,
  type ItemOf,
  type KeyOf,
  toAttributePath,
} from '../../platform/data/entity.ts';
import { leaseOn } from '../../platform/data/lease.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { allOf, type Changes, type WriteCondition } from '../../platform/data/writes.ts';

/**
 * Items that processes attempt until they are done: `nextAttemptAt` is null or the time of the next attempt, and
 * `leaseUntil` is until when a process has the item. A message asks for each attempt, and a sweep sends lost ones.
 */
export interface Outbox<E extends AnyEntity = Entity> {
  entity: E;
  sweep: string;
  /** How much later than its message the sweep looks at an item. */
  graceMs: number;
}

/** SQS delays a message by 15 minutes at most (D202). */
const delaySecondsMax = 900;
/** Clocks differ. */
export const earlyMs = 1_000;
/** How long a message may wait for a worker before the sweep sends another. */
const resentAfterMs = 10 * 60_000;

/** @param isSent Whether a message asks for the attempt. Without one, the sweep does. */
export const toOutboxKeys = (
  { sweep, graceMs }: Pick<Outbox, 'sweep' | 'graceMs'>,
  id: string,
  nextAttemptAt: string,
  isSent = true,
) => sweepKeys(sweep, id, new Date(Date.parse(nextAttemptAt) + (isSent ? graceMs : 0)).toISOString());

const isDue = (entity: AnyEntity, due: Date): WriteCondition => ({
  expression: `${toAttributePath(entity, 'nextAttemptAt')} <= :due`,
  values: { due: due.toISOString() },
});

/** Longer than an attempt takes. */
const leaseMs = 60_000;
/** The process that attempts an item. */
export const outboxLease = <E extends AnyEntity>({ entity }: Pick<Outbox<E>, 'entity'>) =>
  leaseOn(entity as AnyEntity, { until: 'leaseUntil', format: 'iso', leaseMs });

export type Leased<E extends AnyEntity> = ItemOf<E> & { leaseUntil: string };

/** One process at a time has the lease. @returns undefined if no attempt is due, or another process has it */
export async function acquireItem<E extends AnyEntity>(
  { table, now }: Scope,
  outbox: Outbox<E>,
  key: KeyOf<E>,
): Promise<Leased<E> | undefined> {
  const { entity } = outbox;
  const at = now();
  const { set, condition } = outboxLease(outbox).acquire(at);
  const due = isDue(entity, new Date(at.getTime() + earlyMs));
  const write = table.writes.update(entity, key, { set } as unknown as Changes<E>, allOf(due, condition));
  const claimed = await table.updateAndGet(entity, write).catch(onConditionFailed(undefined));
  return claimed && { ...claimed, ...set };
}

/** For an item whose message is visible at `sentAt`. @returns whether an attempt was due; otherwise nothing changes */
export async function postponeSweep<E extends AnyEntity>(
  { table }: Scope,
  { entity, sweep }: Outbox<E>,
  key: KeyOf<E> & { id: string },
  { due, sentAt }: { due: Date; sentAt: Date },
): Promise<boolean> {
  const nextAt = new Date(sentAt.getTime() + resentAfterMs).toISOString();
  const write = table.writes.update(
    entity,
    key,
    { index: sweepKeys(sweep, key.id, nextAt) },
    isDue(entity, due),
  );
  return table.commit([write]).then(() => true, onConditionFailed(false));
}

/** The next attempt. `delaySeconds` is that of the message that asks for it; without it, the sweep does. */
export function nextAttempt(
  outbox: Pick<Outbox, 'sweep' | 'graceMs'>,
  id: string,
  { now, pauseMs }: { now: Date; pauseMs: number },
) {
  const nextAttemptAt = new Date(now.getTime() + pauseMs).toISOString();
  const isSent = pauseMs <= delaySecondsMax * 1_000;
  return {
    nextAttemptAt,
    index: toOutboxKeys(outbox, id, nextAttemptAt, isSent),
    ...(isSent && { delaySeconds: Math.ceil(pauseMs / 1_000) }),
  };
}
