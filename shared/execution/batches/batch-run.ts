import type { EndStatus } from '../../domain/runs/run.ts';
import type { NewRun, RunEnding } from '../../domain/runs/run-list.ts';
import { listingOf, type ParentListing, type RunOrigin } from '../../domain/runs/run-origin.ts';
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
  listingOf(batch.dispatched?.runId ?? batch.id, originOf(batch));

/** @param at ISO 8601. */
export function endingOfBatch(
  { totalRecords: total, error }: Batch,
  { processed, failed }: BatchOutcome,
  { totals, records }: SlotTotals,
  { status, at }: { status: EndStatus; at: string },
): RunEnding {
  const cancelled = Math.max(0, total - processed);
  const reason = error ?? (status === 'failed' ? `All ${total} records failed` : null);
  return {
    status,
    at,
    totals,
    records,
    counts: { total, completed: processed - failed, failed, cancelled },
    error: status === 'failed' && reason ? { code: 'BATCH_FAILED', message: reason } : null,
  };
}
