import * as z from 'zod';
import { defineEntity } from '../data/entity.ts';

/** One flow run on many records. What becomes of it is told by the counters of its slots. */
export const Batch = z.object({
  id: z.string(),
  flowId: z.string(),
  flowName: z.string(),
  flowVersionId: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  recordType: z.string(),
  /** How many records run at once: the number of slots. */
  recordConcurrency: z.int(),
  /** How often a failed record is tried again from its failed step. */
  maxRetries: z.int(),
  totalRecords: z.int(),
  /** Whether every record has its message, so that `totalRecords` is final. */
  planned: z.boolean(),
  /** Set from outside only: stopped by a person, or given up before its records were planned. */
  stopped: z.enum(['cancelled', 'failed']).nullable(),
  stoppedAt: z.string().nullable(),
  error: z.string().nullable(),
  startedAt: z.string(),
});
export type Batch = z.infer<typeof Batch>;

export const batchEntity = defineEntity({
  type: 'batch',
  schema: Batch,
  key: (tenant, { id }: { id: string }) => ({ PK: `T#${tenant}#BATCH#${id}`, SK: 'BATCH' }),
});

const slotPartition = (tenant: string, batchId: string, slot: number) =>
  `T#${tenant}#BATCH#${batchId}#SLOT#${slot}`;

export interface SlotKey {
  batchId: string;
  slot: number;
}

/**
 * What has become of records, counted by slots. A slot's messages come one after another, so whoever holds one of
 * them is the only writer of the slot's counters.
 */
export const slotEntity = defineEntity({
  type: 'slot',
  schema: z.object({
    processed: z.int().default(0),
    failed: z.int().default(0),
    lastAt: z.string().optional(),
  }),
  key: (tenant, { batchId, slot }: SlotKey) => ({ PK: slotPartition(tenant, batchId, slot), SK: 'COUNTERS' }),
});

export type BatchStatus = 'scheduled' | 'running' | 'completed' | 'failed' | 'cancelled';

/** A batch as it stands now. */
export interface Progress {
  status: BatchStatus;
  totalRecords: number;
  /** Completed and failed ones. */
  processedRecords: number;
  failedRecords: number;
  /** Whole percent. */
  progress: number;
  completedAt: string | null;
}

/** The state of a batch is never stored: it follows from the counters, which change with the records themselves. */
export function progressOf(batch: Batch, slots: readonly z.infer<typeof slotEntity.schema>[]): Progress {
  const sum = (count: (slot: (typeof slots)[number]) => number) =>
    slots.reduce((total, slot) => total + count(slot), 0);
  const processedRecords = sum(({ processed }) => processed);
  const failedRecords = sum(({ failed }) => failed);
  const { totalRecords, planned, stopped, stoppedAt } = batch;
  const over = planned && processedRecords >= totalRecords;
  const lastAt =
    slots
      .map((slot) => slot.lastAt ?? batch.startedAt)
      .toSorted()
      .at(-1) ?? batch.startedAt;
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
  };
}
