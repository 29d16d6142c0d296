import type { Batch, BatchSummary } from './batch.ts';
import { costOfSlots, type SlotItem, warningsOfSlots } from './slot-counters.ts';

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
  const warnings = warningsOfSlots(slots);
  return {
    ...(Object.keys(warnings).length > 0 && { warnings }),
    processed: sum(({ processed }) => processed),
    failed: sum(({ failed }) => failed),
    cost: costOfSlots(slots).toNumber(),
    lastAt: slots.map(({ lastAt = startedAt }) => lastAt).reduce((a, b) => (a > b ? a : b), startedAt),
  };
}

/** Whether every record is processed, so that the totals are final. */
export const isBatchOver = ({ planned, totalRecords }: BatchSummary, { processed }: BatchOutcome) =>
  planned && processed >= totalRecords;

/** The status is not stored: it follows from the counters, which are written with the records' results. */
export function batchProgress(batch: BatchSummary, totals: BatchOutcome): BatchProgress {
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
