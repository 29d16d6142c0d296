import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  type Batch,
  BatchSummary,
  batchEntity,
  batchesPartition,
  parseSlotItems,
  slotEntity,
} from './batch.ts';
import { type SlotItem, sumSlotCosts, sumSlotWarnings } from './slot-counters.ts';

type BatchStatus = 'scheduled' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface BatchProgress {
  status: BatchStatus;
  totalRecords: number;
  /** Completed and failed records. */
  processedRecords: number;
  failedRecords: number;
  /** In whole percent. */
  progress: number;
  completedAt: string | null;
  warnings: NonNullable<BatchOutcome['warnings']>;
}

export type BatchOutcome = NonNullable<Batch['outcome']>;

export function sumSlots(startedAt: string, slots: readonly SlotItem[]): BatchOutcome {
  const sum = (count: (slot: (typeof slots)[number]) => number) =>
    slots.reduce((total, slot) => total + count(slot), 0);
  const warnings = sumSlotWarnings(slots);
  return {
    ...(Object.keys(warnings).length > 0 && { warnings }),
    processed: sum(({ processed }) => processed),
    failed: sum(({ failed }) => failed),
    cost: sumSlotCosts(slots).toNumber(),
    lastAt: slots.map(({ lastAt = startedAt }) => lastAt).reduce((a, b) => (a > b ? a : b), startedAt),
  };
}

/** Whether every record is processed, so that the totals are final. */
export const isBatchOver = ({ planned, totalRecords }: BatchSummary, { processed }: BatchOutcome) =>
  planned && processed >= totalRecords;

/** The status is not stored: it follows from the counters, which are written with the records' results. */
export function toBatchProgress(batch: BatchSummary, totals: BatchOutcome): BatchProgress {
  const { processed: processedRecords, failed: failedRecords, lastAt, warnings = {} } = totals;
  const { totalRecords, stopped, stoppedAt } = batch;
  const over = isBatchOver(batch, totals);
  return {
    status:
      stopped === 'failed'
        ? 'failed'
        : over
          ? failedRecords === totalRecords && totalRecords > 0
            ? 'failed'
            : 'completed'
          : (stopped ?? (processedRecords > 0 ? 'running' : 'scheduled')),
    totalRecords,
    processedRecords,
    failedRecords,
    progress: totalRecords === 0 ? 100 : Math.min(100, Math.floor((processedRecords / totalRecords) * 100)),
    completedAt: over ? lastAt : stoppedAt,
    warnings,
  };
}

export const isEnded = ({ status }: BatchProgress) => status !== 'scheduled' && status !== 'running';

export type SlottedBatch = Pick<BatchSummary, 'id' | 'recordConcurrency'>;

const toSlotKeys = ({ id, recordConcurrency }: SlottedBatch) =>
  Array.from({ length: recordConcurrency }, (_, slot) => slotEntity.key({ batchId: id, slot }));

export const readSlots = async (
  { table }: Scope,
  batch: SlottedBatch,
  { consistent = true } = {},
): Promise<SlotItem[]> => parseSlotItems(await table.getMany(toSlotKeys(batch), { consistent }));

/** What the records of a batch have come to so far. */
export const readBatchOutcome = async (
  scope: Scope,
  batch: BatchSummary,
  options?: { consistent: boolean },
): Promise<BatchOutcome> =>
  batch.outcome ?? sumSlots(batch.startedAt, await readSlots(scope, batch, options));

export interface BatchState {
  progress: BatchProgress;
  /** USD for all model calls. */
  cost: number;
  error: string | null;
  isPlanned: boolean;
}

/** A list may lag behind. What it shows as ended has ended: counters only grow. */
const readListedOutcome = (scope: Scope, batch: BatchSummary) =>
  readBatchOutcome(scope, batch, { consistent: false });

/** The newest batches of a tenant, newest first. */
export async function listLatestBatches(
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
      progress: toBatchProgress(batch, await readListedOutcome(scope, batch)),
    })),
  );
}

/** @param ahead The batch whose slots are read beside the batches, because it is likely to be unfinished. */
export async function readBatchStates(
  scope: Scope,
  ids: readonly string[],
  ahead?: SlottedBatch,
): Promise<Map<string, BatchState>> {
  const aheadKeys = ahead ? toSlotKeys(ahead) : [];
  const items = await scope.table.getMany([...ids.map((id) => batchEntity.key({ id })), ...aheadKeys]);
  const slots = items.slice(ids.length);
  const isAhead = ({ id, recordConcurrency }: Batch) =>
    ahead?.id === id && ahead.recordConcurrency >= recordConcurrency;
  const states = decodeReadable(batchEntity, items.slice(0, ids.length)).map(async (batch) => {
    const outcome =
      batch.outcome ??
      (isAhead(batch)
        ? sumSlots(batch.startedAt, parseSlotItems(slots))
        : await readListedOutcome(scope, batch));
    const { cost } = outcome;
    const { error, planned: isPlanned } = batch;
    return [batch.id, { progress: toBatchProgress(batch, outcome), cost, error, isPlanned }] as const;
  });
  return new Map(await Promise.all(states));
}
