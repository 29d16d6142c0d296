/**
 * The lease of a run, so that no two deliveries of its message run its steps at the same time.
 * The first delivery has it without a write until `firstLeaseMs` after its first receipt. Later deliveries write it,
 * with their number as fencing token, and get it when the time of the one before is over or its run was released: a
 * release by an older delivery does not end the lease of a newer one.
 * `run-slot.ts` acquires and releases. After a crash the lease ends when the invocation would have ended at the latest.
 */
import * as z from 'zod';
import { unixSeconds } from '../../core/time.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';

export interface MessageDelivery {
  runId: string;
  /** How often SQS has delivered the message: the fencing token. */
  deliveries: number;
  /** When SQS delivered it first, in Unix ms. */
  firstAt: number;
}

/** How long a first delivery holds its run: the timeout of `run-record` plus 30 s for transport and differing clocks. */
export const firstLeaseMs = 930_000;

const keptSeconds = 86_400;

/** Which delivery may run the run, from the second on. The lease of the first follows from the time of its delivery. */
const runLeaseEntity = defineEntity({
  type: 'runLease',
  schema: z.object({
    holder: z.int(),
    /** Unix ms. 0 after its release. */
    until: z.int(),
    ttl: z.int(),
  }),
  key: ({ runId }: { runId: string }) => ({ PK: tenantPartition(`RUN#${runId}`), SK: 'LEASE' }),
});

/**
 * Acquires the lease of a run, so that no two invocations run its steps at the same time. A first delivery in time costs no write, others one.
 * @param until When the invocation ends, in Unix ms.
 * @returns undefined, or the time (Unix ms) until which an earlier delivery holds the run.
 */
export async function acquireRunLease(
  { table, now }: Scope,
  { runId, deliveries, firstAt }: MessageDelivery,
  until: number,
): Promise<number | undefined> {
  const firstUntil = firstAt + firstLeaseMs;
  if (deliveries === 1 && until <= firstUntil) return;
  const at = now().getTime();
  const mayBeFirst = deliveries === 1 || at > firstUntil;
  const expression = mayBeFirst ? 'attribute_not_exists(#until) OR #until < :at' : '#until < :at';
  const changes = toLeaseChanges(deliveries, until, at);
  const write = table.writes.update(runLeaseEntity, { runId }, changes, { expression, values: { at } });
  try {
    await table.commit([write]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const held = await table.get(runLeaseEntity, { runId }, { consistent: true });
    return held?.until ?? firstUntil;
  }
}

/** Releases runs that a later delivery continues. A run that another delivery leases does not affect the others. */
export async function releaseRunLeases(
  { table, now }: Scope,
  runs: readonly MessageDelivery[],
): Promise<void> {
  const at = now().getTime();
  // A run may have two messages in a group, if the sweeper has resent it.
  const latest = new Map(runs.map((run) => [run.runId, run.deliveries]));
  await Promise.all(
    [...latest].map(async ([runId, deliveries]) => {
      const write = table.writes.update(runLeaseEntity, { runId }, toLeaseChanges(deliveries, 0, at), {
        expression: 'attribute_not_exists(#holder) OR #holder <= :deliveries OR #until < :at',
        values: { deliveries, at },
      });
      await table.commit([write]).catch((error) => {
        if (!(error instanceof ConditionFailed)) throw error;
      });
    }),
  );
}

const toLeaseChanges = (holder: number, until: number, at: number) => ({
  set: { holder, until, ttl: unixSeconds(new Date(at)) + keptSeconds },
});
