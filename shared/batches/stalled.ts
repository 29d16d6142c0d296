import { dueForSweep, sweepAttributes, sweepKeys } from '../data/sweeps.ts';
import { log } from '../log.ts';
import type { Runtime, Scope } from '../runtime.ts';
import { batchEntity, batchSweep, firstLookMs } from './batch.ts';
import { batchPlanner } from './batch-plan.ts';
import { batchStore } from './batch-store.ts';

/** The longest pause between two looks, and how long a batch may stand still: longer than the longest wait. */
const pauseMsMax = 86_400_000;
const standstillMsMax = 40 * 86_400_000;

/**
 * Looks after the batches that are not over, of all tenants. One in which nothing was processed since the last look gets
 * its messages again: they may never have been sent, and those that come twice do nothing the second time.
 */
export async function reviveStalledBatches({ scopeOf }: Runtime, now: Date, due = now): Promise<void> {
  for await (const page of dueForSweep(scopeOf('').table, batchSweep, due)) {
    for (const { tenant, PK } of page) {
      const id = PK.split('#').at(-1) ?? '';
      try {
        await reviveIfStalled(scopeOf(tenant), id, now);
      } catch (error) {
        log.error('A batch could not be looked after', { error, batchId: id });
      }
    }
  }
}

/** Sees how one batch stands. */
export async function reviveIfStalled(scope: Scope, id: string, now: Date): Promise<void> {
  const { table } = scope;
  const batches = batchStore(scope);
  const batch = await table.get(batchEntity, { id }, { consistent: true });
  if (!batch) return;
  const { status, processedRecords } = await batches.progress(batch);
  if (status !== 'scheduled' && status !== 'running') {
    return table.commit([table.writes.update(batchEntity, { id }, { remove: sweepAttributes })]);
  }
  const before = batch.seen ?? { processed: 0, since: batch.startedAt };
  const moved = processedRecords > before.processed;
  const seen = { processed: processedRecords, since: moved ? now.toISOString() : before.since };
  const standstillMs = now.getTime() - Date.parse(seen.since);
  if (standstillMs > standstillMsMax) {
    return batches.stop(id, 'failed', 'No record of the batch was processed for 40 days');
  }
  if (!moved) await batchPlanner(scope).again(batch);
  const nextMs = now.getTime() + Math.min(Math.max(standstillMs, firstLookMs), pauseMsMax);
  const keys = sweepKeys(batchSweep, id, new Date(nextMs).toISOString());
  await table.commit([table.writes.update(batchEntity, { id }, { set: { seen, ...keys } })]);
}
