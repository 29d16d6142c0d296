import Big from 'big.js';
import * as z from 'zod';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';

/** One flow run on many records. What becomes of it is told by the counters of its slots. */
export const Batch = z.object({
  id: z.string(),
  flowId: z.string(),
  flowName: z.string(),
  flowVersionId: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** Null where the records were named one by one, and for a dispatched run that goes on by itself. */
  recordType: z.string().nullable(),
  /** Of a dispatched run that goes on by itself: which one it is, and what it was given. */
  dispatched: z
    .object({
      runId: z.string(),
      recordId: z.string().nullable(),
      input: PayloadRef,
      /** Whether its output variables are merged into its record’s metadata in the end. */
      appendsMetadata: z.boolean(),
    })
    .optional(),
  /** When it is to be forgotten, in Unix seconds, where it belongs to no stored flow or record. */
  ttl: z.int().optional(),
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
  /** The newest record of its type when it began: later ones wait for the next batch. */
  lastRecordId: z.string().optional(),
  /** The records that it names, where they are few; more are an item of their own. */
  recordIds: z.array(z.string()).optional(),
  /**
   * What the sweeper saw last: how many records were processed, and since when it is that many; and how often it had
   * the messages sent again.
   */
  seen: z.object({ processed: z.int(), since: z.string(), sendings: z.int().default(0) }).optional(),
  /** How it ended, kept by the first who saw that, so that its slots need not be read again. */
  outcome: z.object({ processed: z.int(), failed: z.int(), cost: z.number(), lastAt: z.string() }).optional(),
});
export type Batch = z.infer<typeof Batch>;

/** What lists know of a batch. */
export const BatchSummary = Batch.pick({
  id: true,
  flowId: true,
  flowName: true,
  recordConcurrency: true,
  totalRecords: true,
  planned: true,
  stopped: true,
  stoppedAt: true,
  startedAt: true,
  outcome: true,
});
export type BatchSummary = z.infer<typeof BatchSummary>;

const batchPartition = (id: string) => tenantPartition(`BATCH#${id}`);
export const batchesPartition = tenantPartition('BATCHES');

/** A batch of so few records is planned by the request that begins it, which may wait for its end. */
export const smallBatchMax = 10;

/** What the sweeper knows these items by. */
export const batchSweep = 'BATCH';
/** When the sweeper looks at a batch first: nothing of a healthy one is still unsent then. */
export const firstSweepDelayMs = 15 * 60_000;

export const batchEntity = defineEntity({
  type: 'batch',
  schema: Batch,
  key: ({ id }: { id: string }) => ({ PK: batchPartition(id), SK: 'BATCH' }),
  index: ({ id, startedAt }) => ({
    ...{ PK1: batchesPartition, SK1: id },
    ...sweepKeys(batchSweep, id, new Date(Date.parse(startedAt) + firstSweepDelayMs).toISOString()),
  }),
  summary: [
    'flowId',
    'flowName',
    'recordConcurrency',
    'totalRecords',
    'planned',
    'stopped',
    'stoppedAt',
    'startedAt',
    'outcome',
  ],
});

/** Which records a batch was asked to run on, where they were named one by one. Beside it, since only planning reads it. */
export const batchRecordsEntity = defineEntity({
  type: 'batchRecords',
  schema: z.object({ id: z.string(), recordIds: z.array(z.string()) }),
  key: ({ id }: { id: string }) => ({ PK: batchPartition(id), SK: 'RECORDS' }),
});

const slotPartition = (batchId: string, slot: number) => tenantPartition(`BATCH#${batchId}#SLOT#${slot}`);

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
    /** USD of all model calls. */
    cost: z.number().default(0),
    lastAt: z.string().optional(),
  }),
  key: ({ batchId, slot }: SlotKey) => ({ PK: slotPartition(batchId, slot), SK: 'COUNTERS' }),
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

export type BatchOutcome = NonNullable<Batch['outcome']>;

/** What has become of a batch's records, from the counters of its slots. */
export function totalsOf(
  startedAt: string,
  slots: readonly z.infer<typeof slotEntity.schema>[],
): BatchOutcome {
  const sum = (count: (slot: (typeof slots)[number]) => number) =>
    slots.reduce((total, slot) => total + count(slot), 0);
  return {
    processed: sum(({ processed }) => processed),
    failed: sum(({ failed }) => failed),
    cost: slots.reduce((total, { cost }) => total.plus(cost), new Big(0)).toNumber(),
    lastAt: slots.map(({ lastAt = startedAt }) => lastAt).reduce((a, b) => (a > b ? a : b), startedAt),
  };
}

/** Whether every record of a batch has been processed, so that its totals change no more. */
export const isOver = ({ planned, totalRecords }: BatchSummary, { processed }: BatchOutcome) =>
  planned && processed >= totalRecords;

/** The state of a batch is never stored: it follows from the counters, which change with the records themselves. */
export function progressOf(batch: BatchSummary, totals: BatchOutcome): Progress {
  const { processed: processedRecords, failed: failedRecords, lastAt } = totals;
  const { totalRecords, stopped, stoppedAt } = batch;
  const over = isOver(batch, totals);
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
