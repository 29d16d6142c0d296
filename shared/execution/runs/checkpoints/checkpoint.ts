import * as z from 'zod';
import { TokenCount } from '../../../adapters/models/usage.ts';
import { Note } from '../../../core/tracing/note.ts';
import { Warning } from '../../../core/warnings.ts';
import { Attempt } from '../../../domain/flows/steps/attempt.ts';
import { SubFlows } from '../../../domain/flows/sub-flows/sub-flows.ts';
import { recordPartition } from '../../../domain/records/record.ts';
import { RunUse } from '../../../domain/runs/run-use.ts';
import { defineEntity } from '../../../platform/data/entity.ts';
import { tenantPartition } from '../../../platform/data/keys.ts';
import { PayloadRef } from '../../../platform/data/payloads.ts';
import { checkpointWords, checkpointWordsSince } from './checkpoint-words.ts';
import { StoredWaits } from './waits.ts';

/** A stored step result. Omits what the flow version or the run already contains. */
export const StoredStepResult = z.object({
  path: z.string(),
  retryCount: z.int(),
  attempts: z.array(Attempt).optional(),
  output: PayloadRef.optional(),
  /** The output with values of secrets, which flows on, encrypted. `output` is what is shown. */
  sealed: PayloadRef.optional(),
  /** The beginning of an offloaded output. */
  preview: z.string().optional(),
  resolvedPrompt: PayloadRef.optional(),
  error: z.string().optional(),
  errorCode: z.string().optional(),
  modelUsed: z.string().optional(),
  // Values that an earlier release accepted by mistake count as not reported.
  promptTokens: TokenCount.optional().catch(undefined),
  completionTokens: TokenCount.optional().catch(undefined),
  cachedTokens: TokenCount.optional(),
  reasoningTokens: TokenCount.optional(),
  estimatedCost: z.string().nullable().optional(),
  /** The hash of its request. */
  request: z.string().optional(),
  /** What it was taken from, instead of being made, and what it cost then. */
  reusedFrom: z.object({ resultId: z.string(), runId: z.string() }).optional(),
  savedCost: z.string().nullable().optional(),
  /** USD that caches of providers saved. */
  cacheSavings: z.string().optional(),
  notes: z.array(Note).optional(),
  warnings: z.array(Warning).optional(),
  /** Of what has failed in a step that went on. */
  errors: PayloadRef.optional(),
  /** Whether its tokens and costs are sums of those of the steps in it. */
  isSum: z.literal(true).optional(),
});
export type StoredStepResult = z.infer<typeof StoredStepResult>;

const RunEnd = z.object({
  status: z.enum(['completed', 'failed']),
  error: z.string().nullable(),
  at: z.string(),
});

/** The fields of a finished run that lists show. */
export const FinishedRun = z.object({
  status: RunEnd.shape.status,
  /** The last step that called a model with a prompt. */
  promptStepId: z.string().nullable(),
  /** Why it failed, if callers tell that apart. */
  errorCode: z.string().optional(),
});
export type FinishedRun = z.infer<typeof FinishedRun>;

/**
 * The step results of a run up to a step with effects, a wait or the end. Immutable. An interrupted run resumes after its
 * last checkpoint; a run whose last one has an `end` is over.
 */
export const Checkpoint = z.object({
  runId: z.string(),
  /** Its position among the run's checkpoints, from 0. */
  index: z.int(),
  flowId: z.string(),
  flowVersionId: z.string(),
  subFlows: SubFlows.optional(),
  batchId: z.string().nullable(),
  /** Null if the run had no record, or one that is not stored. */
  recordId: z.string().nullable(),
  recordName: z.string().nullable(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** The record's metadata as the run saw it. In the first checkpoint only. */
  recordMetadata: PayloadRef.optional(),
  /** The variables and messages of a dispatched run. In the first checkpoint only. */
  input: PayloadRef.optional(),
  results: z.array(StoredStepResult),
  /** A row per result, as text (`rows.ts`). */
  rows: z.string(),
  pointers: z.array(z.string()).optional(),
  /** Whose costs the results have added to the record's. */
  models: z.array(z.string()).optional(),
  /** The model calls since the checkpoint before. */
  use: RunUse.optional(),
  /** These three are in the last checkpoint only. */
  end: RunEnd.optional(),
  finished: FinishedRun.optional(),
  flowName: z.string().optional(),
  /** The span in which the run was started, if that is none of this service. In the first checkpoint. */
  startedIn: z.string().optional(),
  /** Whose acts its own are, if it goes on with an earlier run. In the first checkpoint. */
  identity: z.string().optional(),
  /** Replaces the first checkpoint of a deleted result, so that a redelivered message does not run it again. */
  removed: z.literal(true).optional(),
  /** The steps at which the run is suspended. In the latest checkpoint. */
  waiting: StoredWaits.optional(),
  /** What steps must know again when the run resumes, by path; with `sealedMark` behind it, encrypted. */
  kept: z.record(z.string(), PayloadRef).optional(),
  /** Expiry in Unix seconds, if the flow or record is not stored or was deleted. */
  ttl: z.int().optional(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

export const sealedMark = '~sealed';

/** A partition takes 1,000 writes a second, so a flow's results are spread over four. */
export const flowShards = 4;

/** A run shares the partition of its stored record; without one it has its own. */
const runPartition = ({ recordId, runId }: Pick<Checkpoint, 'recordId' | 'runId'>) =>
  recordId ? recordPartition(recordId) : tenantPartition(`RUN#${runId}`);
const sortKey = (runId: string, index: number) => `${runId}#${String(index).padStart(4, '0')}`;
export const runFlowShard = (runId: string) =>
  (runId.charCodeAt(runId.length - 1) + runId.charCodeAt(runId.length - 2)) % flowShards;
/** All results of a record are one partition, newest run first. */
export const checkpointEntity = defineEntity({
  type: 'checkpoint',
  schema: Checkpoint,
  key: ({ recordId, runId, index }: Pick<Checkpoint, 'recordId' | 'runId' | 'index'>) => ({
    PK: runPartition({ recordId, runId }),
    SK: `STEPS#${sortKey(runId, index)}`,
  }),
  index: ({ flowId, runId, index, removed }) =>
    removed ? {} : { PK1: flowResultsPartition(flowId, runFlowShard(runId)), SK1: sortKey(runId, index) },
  summary: [
    'flowId',
    'flowVersionId',
    'subFlows',
    'batchId',
    'recordId',
    'rows',
    'pointers',
    'models',
    'finished',
  ],
  packing: {
    fields: [
      'runId',
      'index',
      'recordName',
      'userId',
      'organizationId',
      'recordMetadata',
      'results',
      'end',
      'flowName',
      'startedIn',
      'waiting',
      'kept',
      'use',
      'input',
      'identity',
    ],
    dictionaries: [checkpointWords, checkpointWordsSince],
  },
});

export const flowResultsPartition = (flowId: string, shard: number) =>
  tenantPartition(`FLOW#${flowId}#STEPS#${shard}`);

export const runRange = (run: Pick<Checkpoint, 'recordId' | 'runId'>) => ({
  partition: runPartition(run),
  from: `STEPS#${run.runId}#`,
  to: `STEPS#${run.runId}#~`,
});

export const recordResultsRange = (recordId: string) => ({
  partition: recordPartition(recordId),
  from: 'STEPS#',
  to: 'STEPS#~',
});
