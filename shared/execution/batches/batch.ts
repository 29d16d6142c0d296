/**
 * The stored items of batches: the batch, its list of records, its slots with their counters, and its held slots.
 * The batch item is written at its start, by planning, by a stop, by the sweep and by changes of the share; records of
 * the batch write their slot's item only, so they do not contend for the batch item.
 * The sweep index holds every batch that has no `outcome`.
 */
import * as z from 'zod';
import type { Variables } from '../../core/variables.ts';
import { WarningCounts } from '../../core/warnings.ts';
import { SubFlows } from '../../domain/flows/sub-flows/sub-flows.ts';
import { priorities } from '../../domain/runs/priority.ts';
import { RunOrigin } from '../../domain/runs/run-origin.ts';
import { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef, payloadReader, payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { RunRecord } from '../runs/run-variables.ts';
import { SlotItem } from './slot-counters.ts';

export const batchDefaults = { recordConcurrency: 10, maxRetries: 2 };

/** One flow run on many records. Its progress follows from the counters of its slots. */
export const Batch = z.object({
  id: z.string(),
  flowId: z.string(),
  flowName: z.string(),
  flowVersionId: z.string(),
  subFlows: SubFlows.optional(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** Null if the caller listed the records, and for a single run. */
  recordType: z.string().nullable(),
  /** Set for a single run (dispatched, and continued as a batch, or scheduled without records): which one, and its input. */
  dispatched: z
    .object({
      runId: z.string(),
      recordId: z.string().nullable(),
      input: PayloadRef,
      /** Whether the output variables are merged into the record’s metadata at the end. */
      appendsMetadata: z.boolean(),
    })
    .optional(),
  surface: RunSurface.optional(),
  /** Missing in what an earlier release started. */
  origin: RunOrigin.optional(),
  /** The span in which it was started, if the request named one. */
  startedIn: z.string().optional(),
  /** Expiry in Unix seconds, if neither the flow nor the record is stored. */
  ttl: z.int().optional(),
  /** How many records run concurrently: the number of slots. */
  recordConcurrency: z.int(),
  /** Missing in what an earlier release started: normal. */
  priority: z.enum(priorities).optional(),
  /** How many of its slots may run at a time, if not all. */
  slotShare: z.int().optional(),
  /** The slots that run, or may: those of the share, in the order in which they claimed it. */
  claimedSlots: z.array(z.int()).optional(),
  /** The slots that have given a place up, because they have no more records, or only some that were sent anew. */
  endedSlots: z.array(z.int()).optional(),
  /** How often a failed record is retried from its failed step. */
  maxRetries: z.int(),
  totalRecords: z.int(),
  /** True when every record is enqueued, so that `totalRecords` is final. */
  planned: z.boolean(),
  /** Cancelled by a user, or failed because it stalled. */
  stopped: z.enum(['cancelled', 'failed']).nullable(),
  stoppedAt: z.string().nullable(),
  error: z.string().nullable(),
  startedAt: z.string(),
  /** The newest record of the type at the start. Later records are not part of the batch. */
  lastRecordId: z.string().optional(),
  chunkSize: z.int().optional(),
  /** How long the flow may run on one record, without the waits of a suspended run. */
  timeoutMs: z.int().optional(),
  modelOverride: z.string().optional(),
  /** Whether results of equal requests stand in for steps, and how old they may be. */
  reuse: z.object({ maxAgeDays: z.int().optional() }).optional(),
  /** The batch whose records it runs again. */
  retryOf: z.string().optional(),
  /** The first batch and its retries, oldest first, whose newest runs its own go on from. */
  continues: z.array(z.string()).optional(),
  /** Whether what may have taken effect in the runs before is done again. */
  unsafe: z.literal(true).optional(),
  /** Of a first batch: its retries, oldest first. */
  retries: z.array(z.string()).optional(),
  /** Of a retry: the first batch. */
  firstBatchId: z.string().optional(),
  /** The listed records, if they are few. A longer list is an item of its own. */
  recordIds: z.array(z.string()).optional(),
  /** What the sweeper saw last, and how often it resent the messages. */
  seen: z
    .object({
      processed: z.int(),
      since: z.string(),
      sendings: z.int().default(0),
      planFailed: z.boolean().optional(),
    })
    .optional(),
  /** Stored by the sweep, or by the next firing of a schedule, so that the slots are not read again. */
  outcome: z
    .object({
      processed: z.int(),
      failed: z.int(),
      cost: z.number(),
      lastAt: z.string(),
      warnings: WarningCounts.optional(),
    })
    .optional(),
});
export type Batch = z.infer<typeof Batch>;

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

/** The request that starts a batch of this size plans it and may wait for its end. */
export const smallBatchMax = 10;

export const batchSweep = 'BATCH';
/** When the sweeper first looks at a batch: a healthy one has sent all messages by then. */
export const firstSweepDelayMs = 15 * 60_000;

export const batchEntity = defineEntity({
  type: 'batch',
  noun: 'batch',
  schema: Batch,
  key: ({ id }: { id: string }) => ({ PK: batchPartition(id), SK: 'BATCH' }),
  index: ({ id, startedAt }) => ({
    PK1: batchesPartition,
    SK1: id,
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

/** The records that the caller listed. A separate item, since only planning reads it. */
export const batchRecordsEntity = defineEntity({
  type: 'batchRecords',
  schema: z.object({ id: z.string(), recordIds: z.array(z.string()), offloaded: PayloadRef.optional() }),
  key: ({ id }: { id: string }) => ({ PK: batchPartition(id), SK: 'RECORDS' }),
});

/**
 * A slot that waits for its turn in the share. Its records were sent anew, behind one message that is not delivered until
 * it is deleted.
 */
export const heldSlotEntity = defineEntity({
  type: 'heldSlot',
  schema: z.object({ batchId: z.string(), slot: z.int(), receiptHandle: z.string(), ttl: z.int() }),
  key: ({ batchId, slot }: SlotKey) => ({ PK: batchPartition(batchId), SK: `HELD#${slot}` }),
});
export const heldSlotsRange = (batchId: string) =>
  ({ partition: batchPartition(batchId), from: 'HELD#', to: 'HELD#~' }) as const;

const slotPartition = (batchId: string, slot: number) => tenantPartition(`BATCH#${batchId}#SLOT#${slot}`);

export interface SlotKey {
  batchId: string;
  slot: number;
}

/** The messages of a slot come one at a time, so its counters have one writer. */
export const slotEntity = defineEntity({
  type: 'slot',
  schema: SlotItem,
  key: ({ batchId, slot }: SlotKey) => ({ PK: slotPartition(batchId, slot), SK: 'COUNTERS' }),
});

/** As they are read: a slot without an item has counted nothing. */
export const parseSlotItems = (items: readonly unknown[]): SlotItem[] =>
  items.map((item) => SlotItem.parse(item ?? {}));

/** The input of a dispatched run: its record unless that is stored, its input variables and its messages. */
export interface BatchInput {
  record?: RunRecord | undefined;
  inputs?: Variables | undefined;
  messages?: unknown;
}

export const offloadBatchInput = (scope: Scope, batchId: string, input: BatchInput) =>
  payloadWriter(scope).offload(`batches/${batchId}/input`, input);

export const fetchBatchInput = async (scope: Scope, batch: Batch | undefined): Promise<BatchInput> =>
  batch?.dispatched ? ((await payloadReader(scope).fetch(batch.dispatched.input)) as BatchInput) : {};
