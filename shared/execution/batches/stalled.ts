import { log } from '../../core/log.ts';
import { dueForSweep, removeFromSweepIndex, sweepKeys } from '../../platform/cleanup/sweeps.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { type Batch, batchEntity, batchSweep, firstLookMs, smallBatchMax } from './batch.ts';
import { batchPlanner } from './batch-plan.ts';
import { batchStore } from './batch-store.ts';

const day = 86_400_000;
/** The longest pause between two looks. */
const pauseMsMax = day;
/** How long a batch may stand still: longer than the longest wait, but nothing waits before its records are planned. */
const standstillMsMax = ({ planned }: Batch) => (planned ? 40 : 1) * day;
const standstillReason = ({ planned }: Batch) =>
  planned ? 'No record of the batch was processed for 40 days' : 'The records could not be planned for a day';

/**
 * Looks after the batches that are not over, of all tenants. One in which nothing was processed since the last look gets
 * its messages again: they may never have been sent, and those that come twice do nothing the second time.
 * @param atStart Whether nothing else is at work: then all are looked at, not only those that are due.
 */
export async function reviveStalledBatches({ scopeOf }: Runtime, now: Date, atStart: boolean): Promise<void> {
  for await (const page of dueForSweep(scopeOf('').table, batchSweep, atStart ? 'all' : now)) {
    for (const { tenant, PK } of page) {
      const id = PK.split('#').at(-1) ?? '';
      try {
        await reviveIfStalled(scopeOf(tenant), id, now, atStart);
      } catch (error) {
        log.error('A batch could not be looked after', { error, batchId: id });
      }
    }
  }
}

/** Sees how one batch stands. */
export async function reviveIfStalled(scope: Scope, id: string, now: Date, atStart = false): Promise<void> {
  const { table } = scope;
  const batches = batchStore(scope);
  const batch = await table.get(batchEntity, { id }, { consistent: true });
  if (!batch) return;
  const { status, processedRecords } = await batches.progress(batch);
  if (status !== 'scheduled' && status !== 'running') {
    return table.commit([table.writes.update(batchEntity, { id }, removeFromSweepIndex)]);
  }
  const before = batch.seen ?? { processed: 0, since: batch.startedAt, sendings: 0 };
  const moved = processedRecords > before.processed;
  const since = moved ? now.toISOString() : before.since;
  const standstillMs = now.getTime() - Date.parse(since);
  if (standstillMs > standstillMsMax(batch)) {
    await batches.stop(id, 'failed', standstillReason(batch));
    return;
  }
  // Of a small batch, which its request plans itself, a process that died may have sent some of the messages.
  const mayLack = !moved || (atStart && batch.totalRecords <= smallBatchMax);
  const sendings = before.sendings + (mayLack ? 1 : 0);
  if (mayLack) await batchPlanner(scope).again(batch, sendings);
  const seen = { processed: processedRecords, since, sendings };
  const nextMs = now.getTime() + Math.min(Math.max(standstillMs, firstLookMs), pauseMsMax);
  const index = sweepKeys(batchSweep, id, new Date(nextMs).toISOString());
  await table.commit([table.writes.update(batchEntity, { id }, { set: { seen }, index })]);
}
