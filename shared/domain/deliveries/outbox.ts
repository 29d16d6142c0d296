/**
 * The mechanism of an outbox: items that processes attempt until they are done, for webhooks (`delivery.ts`) and
 * exports of runs (`telemetry/run-export.ts`).
 * An item is written with what caused it; then a message asks for its attempt. A worker leases the item, attempts, and
 * stores the result with the time of the next attempt, or the end. If the message or the worker is lost, the sweep
 * finds the item by its index and sends another message. So every item is attempted at least once, and a receiver may
 * get it twice.
 * What is done with one item is here; what workers do with the messages they receive, and the sweep, is in
 * `outbox-worker.ts`.
 */
import { log } from '../../core/log.ts';
import { messageGroup, sendMessage } from '../../platform/aws/queues.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { type AnyEntity, type ItemOf, type KeyOf, toAttributePath } from '../../platform/data/entity.ts';
import type { StoredKey } from '../../platform/data/keys.ts';
import { leaseOn } from '../../platform/data/lease.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Changes, combineConditions, type WriteCondition } from '../../platform/data/writes.ts';

/** The sweep that finds items without a message. */
interface Sweep {
  sweep: string;
  /** How much later than its message the sweep looks at an item. */
  graceMs: number;
}

interface ItemKey {
  id: string;
}

/**
 * Items that processes attempt until they are done: `nextAttemptAt` is null or the time of the next attempt, and
 * `leaseUntil` is until when a process has the item.
 */
export interface Outbox<E extends AnyEntity = AnyEntity, Key extends ItemKey = ItemKey> {
  /** What an item is, in the log. */
  noun: 'a delivery' | 'an export of a run';
  entity: E;
  sweeping: Sweep;
  /** What a message says of an item (`outbox-messages.ts`). */
  toKey: (key: Key) => Key;
  readKey: (item: StoredKey) => Key;
  queue: `${string}_QUEUE_URL`;
}

export const defineOutbox = <E extends AnyEntity, Key extends ItemKey & KeyOf<E>>(outbox: Outbox<E, Key>) =>
  outbox;

/** SQS delays a message by 15 minutes at most (D202). */
const delaySecondsMax = 900;
/** Clocks differ. */
export const earlyMs = 1_000;
/** How long a message may wait for a worker before the sweep sends another. */
const resentAfterMs = 10 * 60_000;

/** @param isSent Whether a message asks for the attempt. Without one, the sweep does. */
export const toOutboxKeys = ({ sweep, graceMs }: Sweep, id: string, nextAttemptAt: string, isSent = true) =>
  sweepKeys(sweep, id, new Date(Date.parse(nextAttemptAt) + (isSent ? graceMs : 0)).toISOString());

/** Asks for attempts. The group is the tenant, so that slow receivers of one tenant do not delay others (SQS "fair queues"). */
export const outboxQueue =
  <Key extends ItemKey>({ noun, queue, toKey }: Pick<Outbox<AnyEntity, Key>, 'noun' | 'queue' | 'toKey'>) =>
  ({ table: { tenant } }: Pick<Scope, 'table'>) => {
    const sendOne = (key: Key, delaySeconds = 0, waits?: number): Promise<void> =>
      sendMessage(
        queue,
        { tenant, ...toKey(key), ...(waits && { waits }) },
        { delaySeconds, group: messageGroup(tenant) },
      );

    return {
      send: sendOne,

      /** For an item whose sweep is due shortly after: a failure only delays it. */
      sendOrLeave: (key: Key, delaySeconds = 0): Promise<void> =>
        sendOne(key, delaySeconds).catch((error) =>
          log.warn(`The message of ${noun} could not be sent; the sweep sends it`, {
            error,
            item: toKey(key),
          }),
        ),
    };
  };

const isDue = (entity: AnyEntity, due: Date): WriteCondition => ({
  expression: `${toAttributePath(entity, 'nextAttemptAt')} <= :due`,
  values: { due: due.toISOString() },
});

/** Longer than an attempt takes. */
const leaseMs = 60_000;
const leaseOf = ({ entity }: Pick<Outbox, 'entity'>) =>
  leaseOn(entity as AnyEntity, { until: 'leaseUntil', format: 'iso', leaseMs });

/** Holds while no process attempts the item. */
export const isUnattempted = (outbox: Pick<Outbox, 'entity'>, now: Date) => leaseOf(outbox).isFree(now);

export type Leased<E extends AnyEntity> = ItemOf<E> & { leaseUntil: string };

/** Holds while this process attempts the item. */
export const hasLease = (outbox: Pick<Outbox, 'entity'>, { leaseUntil }: { leaseUntil: string }) =>
  leaseOf(outbox).isHolder(leaseUntil);

interface Attempt<E extends AnyEntity, Result> {
  attempt: (item: Leased<E>) => Promise<Result>;
  /** Stores the result on the condition `hasLease`: another process may have the item after the lease. */
  settle: (item: Leased<E>, result: Result) => Promise<void>;
}

/** Does nothing if no attempt is due, or another process has the lease. */
export async function attemptItem<E extends AnyEntity, Key extends ItemKey & KeyOf<E>, Result>(
  { table, now }: Scope,
  outbox: Outbox<E, Key>,
  key: Key,
  { attempt, settle }: Attempt<E, Result>,
): Promise<void> {
  const { entity } = outbox;
  const at = now();
  const { set, condition } = leaseOf(outbox).acquire(at);
  const due = isDue(entity, new Date(at.getTime() + earlyMs));
  const write = table.writes.update(
    entity,
    key,
    { set } as unknown as Changes<E>,
    combineConditions(due, condition),
  );
  const acquired = await table.updateAndGet(entity, write).catch(onConditionFailed(undefined));
  if (!acquired) return;
  const item = { ...acquired, ...set };
  await settle(item, await attempt(item)).catch(onConditionFailed(undefined));
}

/** Stores when the next attempt of a leased item is. A message asks for it, or after a long pause the sweep. */
export async function scheduleAttempt<E extends AnyEntity, Key extends ItemKey & KeyOf<E>>(
  scope: Scope,
  outbox: Outbox<E, Key>,
  item: Leased<E> & Key,
  { pauseMs, set }: { pauseMs: number; set: Changes<E>['set'] },
): Promise<void> {
  const { table, now } = scope;
  const nextAttemptAt = new Date(now().getTime() + pauseMs).toISOString();
  const isSent = pauseMs <= delaySecondsMax * 1_000;
  const changes = {
    set: { ...set, nextAttemptAt },
    remove: ['leaseUntil'],
    index: toOutboxKeys(outbox.sweeping, item.id, nextAttemptAt, isSent),
  } as unknown as Changes<E>;
  await table.commit([table.writes.update(outbox.entity, item, changes, hasLease(outbox, item))]);
  if (isSent) await outboxQueue(outbox)(scope).sendOrLeave(item, Math.ceil(pauseMs / 1_000));
}

/** For an item whose message is visible at `sentAt`. @returns whether an attempt was due; otherwise nothing changes */
export async function postponeSweep<E extends AnyEntity, Key extends ItemKey & KeyOf<E>>(
  { table }: Scope,
  { entity, sweeping }: Outbox<E, Key>,
  key: Key,
  { due, sentAt }: { due: Date; sentAt: Date },
): Promise<boolean> {
  const nextAt = new Date(sentAt.getTime() + resentAfterMs).toISOString();
  const write = table.writes.update(
    entity,
    key,
    { index: sweepKeys(sweeping.sweep, key.id, nextAt) },
    isDue(entity, due),
  );
  return table.commit([write]).then(() => true, onConditionFailed(false));
}
