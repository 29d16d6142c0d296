import * as z from 'zod';
import { defineEntity } from '../data/entity.ts';
import { Stowed } from '../data/payloads.ts';

/** A step's result as it is kept. What the flow version or the run tells is not repeated in it. */
export const KeptResult = z.object({
  path: z.string(),
  retryCount: z.int(),
  output: Stowed.optional(),
  /** The beginning of an output that lies in the bucket. */
  preview: z.string().optional(),
  resolvedPrompt: Stowed.optional(),
  error: z.string().optional(),
  modelUsed: z.string().optional(),
  promptTokens: z.int().optional(),
  completionTokens: z.int().optional(),
  estimatedCost: z.string().nullable().optional(),
});
export type KeptResult = z.infer<typeof KeptResult>;

/** What lists filter and sort by, one row a result: step id, status, start (Unix ms), duration (ms). */
const Row = z.tuple([z.string(), z.enum(['completed', 'failed', 'skipped']), z.int(), z.int()]);
export type Row = z.infer<typeof Row>;

/**
 * The step results that a run wrote at one time: those up to a step that reached outside, or to its end.
 * Written once, never changed. Together with the run's item it is where a broken run goes on from.
 */
export const Checkpoint = z.object({
  runId: z.string(),
  /** Its place among the run's checkpoints, from 0. */
  index: z.int(),
  flowId: z.string(),
  flowVersionId: z.string(),
  batchId: z.string().nullable(),
  recordId: z.string(),
  recordName: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** The record's metadata as the run saw it; in the first checkpoint only. */
  recordMetadata: Stowed.optional(),
  results: z.array(KeptResult),
  rows: z.array(Row),
  /** What of it lies in the payload bucket. */
  pointers: z.array(z.string()).optional(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** A partition key takes 1,000 writes a second; a flow's results are spread over four. */
export const flowShards = 4;

const recordPartition = (tenant: string, recordId: string) => `T#${tenant}#RECORD#${recordId}`;
const sortKey = (runId: string, index: number) => `${runId}#${String(index).padStart(4, '0')}`;
const shardOf = (runId: string) =>
  (runId.charCodeAt(runId.length - 1) + runId.charCodeAt(runId.length - 2)) % flowShards;

/** Beside the record it ran on: all results of a record are one partition, newest run first. */
export const checkpointEntity = defineEntity({
  type: 'checkpoint',
  schema: Checkpoint,
  key: (tenant, { recordId, runId, index }: Pick<Checkpoint, 'recordId' | 'runId' | 'index'>) => ({
    PK: recordPartition(tenant, recordId),
    SK: `STEPS#${sortKey(runId, index)}`,
  }),
  index: (tenant, { flowId, runId, index }) => ({
    PK1: flowResultsPartition(tenant, flowId, shardOf(runId)),
    SK1: sortKey(runId, index),
  }),
  summary: ['flowId', 'flowVersionId', 'batchId', 'recordId', 'rows', 'pointers'],
});

export const flowResultsPartition = (tenant: string, flowId: string, shard: number) =>
  `T#${tenant}#FLOW#${flowId}#STEPS#${shard}`;

/** The range of a record's partition that holds its step results. */
export const recordResultsRange = (tenant: string, recordId: string) => ({
  partition: recordPartition(tenant, recordId),
  from: 'STEPS#',
  to: 'STEPS#~',
});
