import { type EndStatus, runEntity } from '../../domain/runs/run.ts';
import { endedRunWrite, type NewRun, type RunEnding } from '../../domain/runs/run-list.ts';
import { childListing, type ParentListing, type RunOrigin } from '../../domain/runs/run-origin.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import type { Batch } from './batch.ts';
import type { BatchOutcome } from './batch-progress.ts';
import type { SlotTotals } from './slot-totals.ts';

const originOf = ({ origin, userId }: Batch): RunOrigin => origin ?? { trigger: { type: 'api', userId } };

/** A batch as it is listed; a single run by its execution. */
export function runOfBatch(batch: Batch): NewRun {
  const { id, dispatched, flowName: name, flowId, flowVersionId, startedAt, ttl } = batch;
  const common = {
    name,
    flowId,
    flowVersionId,
    ...originOf(batch),
    startedAt,
    ...(ttl !== undefined && { ttl }),
  };
  if (!dispatched) return { id, kind: 'batch', ...common };
  const { runId, recordId } = dispatched;
  return { id: runId, kind: 'flow', ...common, batchId: id, ...(recordId && { recordId }) };
}

export const listingOfBatch = (batch: Batch): ParentListing =>
  childListing(batch.dispatched?.runId ?? batch.id, originOf(batch));

export const batchCancelled = 'The batch was cancelled';

/** @param at ISO 8601. */
export function endingOfBatch(
  { totalRecords: total, error }: Batch,
  { processed, failed }: BatchOutcome,
  { totals, records }: SlotTotals,
  { status, at }: { status: EndStatus; at: string },
): RunEnding {
  const cancelled = Math.max(0, total - processed);
  const reasons = {
    failed: `All ${total} records failed`,
    cancelled: batchCancelled,
    completed: null,
  };
  const message = error ?? reasons[status];
  const code = status === 'cancelled' ? 'CANCELLED' : 'BATCH_FAILED';
  return {
    status,
    at,
    totals,
    records,
    counts: { total, completed: processed - failed, failed, cancelled },
    error: status === 'completed' || message === null ? null : { code, message },
  };
}

/** Records that ran when their batch was stopped end later: its row tells of them too. */
export async function relistStopped(
  scope: Pick<Scope, 'table' | 'now'>,
  batch: Batch,
  outcome: BatchOutcome,
  slotTotals: SlotTotals,
): Promise<void> {
  const { table, now } = scope;
  const { id, stopped, stoppedAt } = batch;
  const row = await table.get(runEntity, { id });
  if (!row || !stopped) return;
  const at = stoppedAt ?? now().toISOString();
  const ending = endingOfBatch(batch, outcome, slotTotals, { status: stopped, at });
  const { completed, failed } = ending.counts ?? { completed: 0, failed: 0 };
  const isListed = row.counts?.completed === completed && row.counts.failed === failed;
  if (isListed && row.totalCost === ending.totals.cost.toFixed()) return;
  const write = endedRunWrite(scope, runOfBatch(batch), { ...ending, condition: exists });
  await table.commit([write]).catch(ifRefused(undefined));
}
