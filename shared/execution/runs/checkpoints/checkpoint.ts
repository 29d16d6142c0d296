import * as z from 'zod';
import { TokenCount } from '../../../adapters/models/usage.ts';
import { recordPartition } from '../../../domain/records/record.ts';
import { defineEntity } from '../../../platform/data/entity.ts';
import { tenantPartition } from '../../../platform/data/keys.ts';
import { PayloadRef } from '../../../platform/data/payloads.ts';

/** A step's result as it is kept. What the flow version or the run tells is not repeated in it. */
export const StoredStepResult = z.object({
  path: z.string(),
  retryCount: z.int(),
  output: PayloadRef.optional(),
  /** The beginning of an output that lies in the bucket. */
  preview: z.string().optional(),
  resolvedPrompt: PayloadRef.optional(),
  error: z.string().optional(),
  modelUsed: z.string().optional(),
  // What an earlier release let through is read as not reported.
  promptTokens: TokenCount.optional().catch(undefined),
  completionTokens: TokenCount.optional().catch(undefined),
  estimatedCost: z.string().nullable().optional(),
});
export type StoredStepResult = z.infer<typeof StoredStepResult>;

/** What lists filter and sort by, one row a result: step id, status, start (Unix ms), duration (ms). */
const Row = z.tuple([z.string(), z.enum(['completed', 'failed', 'skipped']), z.int(), z.int()]);
export type Row = z.infer<typeof Row>;
const Rows = z.array(Row);

/** Rows are kept as text: thousands are read to skip to a page, and a list of lists is slow to unpack. */
export const formatRows = (rows: readonly Row[]) => JSON.stringify(rows);
export const parseRows = (text: string): Row[] => Rows.parse(JSON.parse(text));

/** How a run ended. */
export const RunEnd = z.object({
  status: z.enum(['completed', 'failed']),
  error: z.string().nullable(),
  at: z.string(),
});
export type RunEnd = z.infer<typeof RunEnd>;

/** What lists show of a run that is over. */
export const FinishedRun = z.object({
  status: RunEnd.shape.status,
  /** The last step that asked a model with a prompt. */
  promptStepId: z.string().nullable(),
});
export type FinishedRun = z.infer<typeof FinishedRun>;

/** A step that waits, without keeping a worker, for a time to come. */
export const Wait = z.object({ path: z.string(), since: z.string() });

/**
 * The step results that a run wrote at one time: those up to a step that reached outside or waits, or to its end.
 * Written once, never changed. A run is its checkpoints: a broken one goes on after the last, and one whose
 * last has an `end` is over.
 */
export const Checkpoint = z.object({
  runId: z.string(),
  /** Its place among the run's checkpoints, from 0. */
  index: z.int(),
  flowId: z.string(),
  flowVersionId: z.string(),
  batchId: z.string().nullable(),
  /** Null where the run had no record, or one that is not stored. */
  recordId: z.string().nullable(),
  recordName: z.string().nullable(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** The record's metadata as the run saw it; in the first checkpoint only. */
  recordMetadata: PayloadRef.optional(),
  results: z.array(StoredStepResult),
  /** One {@link Row} a result, as text. */
  rows: z.string(),
  /** What of it lies in the payload bucket. */
  pointers: z.array(z.string()).optional(),
  /** These three in the last checkpoint only. */
  end: RunEnd.optional(),
  finished: FinishedRun.optional(),
  flowName: z.string().optional(),
  /** Left in place of a deleted result's first checkpoint, so that its message cannot run it again. */
  removed: z.literal(true).optional(),
  /** The step that the run is suspended at; in the last checkpoint so far. */
  waiting: Wait.optional(),
  /** When it is to be forgotten, in Unix seconds, where what it belongs to is not stored, or no longer. */
  ttl: z.int().optional(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** A partition key takes 1,000 writes a second; a flow's results are spread over four. */
export const flowShards = 4;

/** Beside the record it ran on; without one by itself. */
const runPartition = ({ recordId, runId }: Pick<Checkpoint, 'recordId' | 'runId'>) =>
  recordId ? recordPartition(recordId) : tenantPartition(`RUN#${runId}`);
const sortKey = (runId: string, index: number) => `${runId}#${String(index).padStart(4, '0')}`;
/** Which of the partitions of its flow's results a run's are in. */
export const flowShardOf = (runId: string) =>
  (runId.charCodeAt(runId.length - 1) + runId.charCodeAt(runId.length - 2)) % flowShards;
/** Lists the finished runs of a record that are kept for as long as it is. */
export const recordRunsPartition = (recordId: string) => tenantPartition(`RECORD#${recordId}#RUNS`);

/** All results of a record are one partition, newest run first. */
export const checkpointEntity = defineEntity({
  type: 'checkpoint',
  schema: Checkpoint,
  key: ({ recordId, runId, index }: Pick<Checkpoint, 'recordId' | 'runId' | 'index'>) => ({
    PK: runPartition({ recordId, runId }),
    SK: `STEPS#${sortKey(runId, index)}`,
  }),
  index: ({ flowId, runId, index, recordId, finished, removed, ttl }) =>
    removed
      ? {}
      : {
          PK1: flowResultsPartition(flowId, flowShardOf(runId)),
          SK1: sortKey(runId, index),
          ...(finished &&
            recordId &&
            ttl === undefined && { PK2: recordRunsPartition(recordId), SK2: runId }),
        },
  summary: ['flowId', 'flowVersionId', 'batchId', 'recordId', 'rows', 'pointers', 'finished'],
});

export const flowResultsPartition = (flowId: string, shard: number) =>
  tenantPartition(`FLOW#${flowId}#STEPS#${shard}`);

/** The range that holds the checkpoints of one run. */
export const runRange = (run: Pick<Checkpoint, 'recordId' | 'runId'>) => ({
  partition: runPartition(run),
  from: `STEPS#${run.runId}#`,
  to: `STEPS#${run.runId}#~`,
});

/** The range of a record's partition that holds its step results. */
export const recordResultsRange = (recordId: string) => ({
  partition: recordPartition(recordId),
  from: 'STEPS#',
  to: 'STEPS#~',
});
