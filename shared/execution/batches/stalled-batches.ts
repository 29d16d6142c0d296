import { log } from '../../core/log.ts';
import { listDue, removeFromSweepIndex, sweepKeys } from '../../platform/cleanup/sweeps.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { type Batch, batchEntity, batchSweep, firstSweepDelayMs, smallBatchMax } from './batch.ts';
import { batchPlanner, type PlanMessage } from './batch-plan.ts';
import { isEnded } from './batch-progress.ts';
import { batchStore } from './batch-store.ts';
import { releaseSlots, slotDivider } from './slot-sharing.ts';

const day = 86_400_000;
const pauseMsMax = day;
/** After this time without progress a batch fails. A planned one may contain waits of 30 days. */
const stallMsMax = ({ planned }: Batch) => (planned ? 40 : 1) * day;
const stallReason = ({ planned }: Batch) =>
  planned
    ? 'No record of the batch was processed for 40 days'
    : 'The records could not be enqueued for a day';

/**
 * Checks the unfinished batches of all tenants. Resends the messages of a batch without progress since the last check:
 * they may never have been sent, and duplicates do nothing. @param atStart Whether nothing else runs: then it checks
 * all batches, not only those that are due.
 */
export async function resumeStalledBatches({ scopeOf }: Runtime, now: Date, atStart: boolean): Promise<void> {
  for await (const page of listDue(scopeOf('').table, batchSweep, atStart ? 'all' : now)) {
    for (const { tenant, PK } of page) {
      const id = PK.split('#').at(-1) ?? '';
      try {
        await resumeIfStalled(scopeOf(tenant), id, now, atStart);
      } catch (error) {
        log.error('A batch could not be checked', { error, tenant, batchId: id });
      }
    }
  }
}

export async function resumeIfStalled(scope: Scope, id: string, now: Date, atStart = false): Promise<void> {
  const { table } = scope;
  const batches = batchStore(scope);
  const batch = await table.get(batchEntity, { id }, { consistent: true });
  if (!batch) return;
  const progress = await batches.settleBatch(batch);
  const { processedRecords } = progress;
  if (isEnded(progress)) {
    await slotDivider(scope).releaseBatch(id);
    return table.commit([table.writes.update(batchEntity, { id }, removeFromSweepIndex)]);
  }
  const before = getSweepState(batch);
  const moved = processedRecords > before.processed;
  const since = moved ? now.toISOString() : before.since;
  const standstillMs = now.getTime() - Date.parse(since);
  if (standstillMs > stallMsMax(batch)) {
    await batches.stop(id, 'failed', stallReason(batch));
    return slotDivider(scope).releaseBatch(id);
  }
  // The request that plans a small batch may have crashed after some of its messages.
  const isStalled = !moved || before.planFailed || (atStart && batch.totalRecords <= smallBatchMax);
  // Sent completely once, the queue has them: each start would add a message that its dead-letter rule counts anew.
  const isSent = atStart && before.sendings > 0 && !before.planFailed;
  const mayLack = isStalled && !isSent;
  const sendings = before.sendings + (mayLack ? 1 : 0);
  if (mayLack) await batchPlanner(scope).resend(batch, sendings);
  const sweepState = { processed: processedRecords, since, sendings };
  const nextMs = now.getTime() + Math.min(Math.max(standstillMs, firstSweepDelayMs), pauseMsMax);
  const index = sweepKeys(batchSweep, id, new Date(nextMs).toISOString());
  // Slots that died with a place would keep it.
  const claimedSlots = isStalled && batch.slotShare !== undefined ? [] : undefined;
  await table.commit([
    table.writes.update(batchEntity, { id }, { set: { seen: sweepState, claimedSlots }, index }),
  ]);
  if (claimedSlots) await releaseSlots(scope, id);
  if (batch.slotShare !== undefined) await slotDivider(scope).divide();
}

const getSweepState = ({ seen: sweepState, startedAt }: Batch): NonNullable<Batch['seen']> =>
  sweepState ?? { processed: 0, since: startedAt, sendings: 0 };

/** Has a sweep resend the messages of the batch after 15 minutes. A sweep fails it if that goes on for a day. */
export async function handleFailedPlan(scope: Scope, { batchId: id }: PlanMessage): Promise<void> {
  const { table, now } = scope;
  const batch = await table.get(batchEntity, { id }, { consistent: true });
  if (!batch || batch.planned || batch.stopped) return;
  const sweepState = { ...getSweepState(batch), planFailed: true };
  const index = sweepKeys(batchSweep, id, new Date(now().getTime() + firstSweepDelayMs).toISOString());
  await table.commit([table.writes.update(batchEntity, { id }, { set: { seen: sweepState }, index })]);
}
