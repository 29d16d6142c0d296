import type { Scope } from '../../platform/data/scope.ts';
import { type BatchSummary, slotEntity, slotItems } from './batch.ts';
import { type BatchOutcome, sumSlots } from './batch-progress.ts';
import type { SlotItem } from './slot-counters.ts';

export type SlottedBatch = Pick<BatchSummary, 'id' | 'recordConcurrency'>;

export const slotKeys = ({ id, recordConcurrency }: SlottedBatch) =>
  Array.from({ length: recordConcurrency }, (_, slot) => slotEntity.key({ batchId: id, slot }));

export const readSlots = async (
  { table }: Scope,
  batch: SlottedBatch,
  { consistent = true } = {},
): Promise<SlotItem[]> => slotItems(await table.getMany(slotKeys(batch), { consistent }));

/** What the records of a batch have come to so far. */
export const batchOutcome = async (
  scope: Scope,
  batch: BatchSummary,
  options?: { consistent: boolean },
): Promise<BatchOutcome> =>
  batch.outcome ?? sumSlots(batch.startedAt, await readSlots(scope, batch, options));
