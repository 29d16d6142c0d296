import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Batch, BatchSummary, batchEntity, batchesPartition, slotItems } from './batch.ts';
import { type BatchProgress, batchProgress, sumSlots } from './batch-progress.ts';
import { batchOutcome, type SlottedBatch, slotKeys } from './read-slots.ts';

export interface BatchState {
  progress: BatchProgress;
  /** USD for all model calls. */
  cost: number;
  error: string | null;
  isPlanned: boolean;
}

/** A list may lag behind. What it shows as ended has ended: counters only grow. */
const listedOutcome = (scope: Scope, batch: BatchSummary) =>
  batchOutcome(scope, batch, { consistent: false });

/** The newest batches of a tenant, newest first. */
export async function latestBatches(
  scope: Scope,
  limit: number,
): Promise<{ batch: BatchSummary; progress: BatchProgress }[]> {
  const { items } = await scope.table.first(limit, {
    partition: batchesPartition,
    index: 1,
    newestFirst: true,
  });
  const batches = items.map(({ SK1, summary }) => BatchSummary.parse({ ...(summary as object), id: SK1 }));
  return Promise.all(
    batches.map(async (batch) => ({
      batch,
      progress: batchProgress(batch, await listedOutcome(scope, batch)),
    })),
  );
}

/** @param ahead The batch whose slots are read beside the batches, because it is likely to be unfinished. */
export async function batchStates(
  scope: Scope,
  ids: readonly string[],
  ahead?: SlottedBatch,
): Promise<Map<string, BatchState>> {
  const aheadKeys = ahead ? slotKeys(ahead) : [];
  const items = await scope.table.getMany([...ids.map((id) => batchEntity.key({ id })), ...aheadKeys]);
  const slots = items.slice(ids.length);
  const isAhead = ({ id, recordConcurrency }: Batch) =>
    ahead?.id === id && ahead.recordConcurrency >= recordConcurrency;
  const states = decodeReadable(batchEntity, items.slice(0, ids.length)).map(async (batch) => {
    const outcome =
      batch.outcome ??
      (isAhead(batch) ? sumSlots(batch.startedAt, slotItems(slots)) : await listedOutcome(scope, batch));
    const { cost } = outcome;
    const { error, planned: isPlanned } = batch;
    return [batch.id, { progress: batchProgress(batch, outcome), cost, error, isPlanned }] as const;
  });
  return new Map(await Promise.all(states));
}
