/**
 * The stored form of a run's progress: checkpoints with step results, and the rows by which lists filter and sort.
 * A checkpoint is immutable. Those of a run on a stored record are in the partition of the record, others in one of
 * their own; an index spreads the results of a flow over `flowShards` partitions. A run is over when its last checkpoint
 * has an `end`.
 * Dictionaries and formats here decode what is stored: add to them, never change them.
 */
import * as z from 'zod';
import { TokenCount } from '../../adapters/models/usage.ts';
import { getIdTimeMs } from '../../core/ids.ts';
import { Note } from '../../core/note.ts';
import { Warning } from '../../core/warnings.ts';
import { Attempt } from '../../domain/flows/steps/attempt.ts';
import { SubFlows } from '../../domain/flows/sub-flows/sub-flows.ts';
import { recordPartition } from '../../domain/records/record.ts';
import { RunUse } from '../../domain/runs/run-use.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import type { StepWait } from '../engine/engine.ts';

/** A step that waits without occupying a worker. */
const Wait = z.object({
  path: z.string(),
  since: z.string(),
  /** Whether it waits for the output of a tool that the caller executes. */
  isCall: z.literal(true).optional(),
});
export type StoredWait = z.infer<typeof Wait>;

/** One is stored by itself, as releases before steps could hold others did. */
const StoredWaits = z.union([Wait, z.array(Wait)]);

export const toStoredWaits = (waits: readonly StoredWait[]): z.infer<typeof StoredWaits> => {
  const [first, ...others] = waits;
  return first && others.length === 0 ? first : [...waits];
};

export const getCheckpointWaits = ({ waiting }: Pick<Checkpoint, 'waiting'>): StoredWait[] =>
  waiting === undefined ? [] : Array.isArray(waiting) ? waiting : [waiting];

/** Whether a run waits in the same steps as before. */
export const isSameWait = (one: readonly StepWait[], other: readonly StepWait[]): boolean => {
  const paths = new Set(one.map(({ path }) => path));
  return paths.size === other.length && other.every(({ path }) => paths.has(path));
};

/** What most checkpoints contain. Never change it: it is needed to read them. */
const checkpointWords =
  '"waiting":{"path":"","since":"2026-"attempts":[{"type":"retry","delayMs":"preview":"error":"resolvedPrompt":{"pointer":"' +
  'runs/exec_01","bytes":"generic-openai/anthropic/claude-openai/gpt-","modelUsed":"promptTokens":,"completionTokens":,' +
  '"estimatedCost":"0.0000"},"results":[{"path":"0","retryCount":0,"output":{"inline":"{\\"}},{"path":"1","retryCount":0,' +
  '"output":{"inline":"\\""}}],"end":{"status":"failed","error":null,"at":"2026-11-26T"},"flowName":"},' +
  '"recordMetadata":{"inline":"{\\"name\\":\\"\\",\\"}"},{"runId":"exec_01","index":0,"recordName":"","userId":"","organizationId":null';

/** The same for what is written since runs have traces and numbers. Never change it either. */
const checkpointWordsSince =
  '"input":{"inline":"{\\"inputs\\":{\\""}","startedIn":"00-"use":{"openai/gpt-anthropic/claude-generic-openai/":{"calls":1,"failed":0,"tokens":' +
  '{"input":1,"output":1,"cachedInput":0,"reasoning":0},"cost":null,"cost":"0.000","durations":{"100":1}}},"notes":[{"k":"m","at":1,"ms":20,"f":12,"n":"","u":[0,0,' +
  checkpointWords;

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
  /** A row per result, as text (`formatRows`). */
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
  /** What starting the run took beyond FLOWS:EXECUTE, and whether its outputs go to its record: for a retry. In the first checkpoint. */
  start: z.object({ permissions: z.array(z.string()), appendsMetadata: z.boolean() }).optional(),
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
      'start',
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

const Status = z.enum(['completed', 'failed', 'skipped']);
/** The columns for filters and sorting, one row per result: step id, status, start (Unix ms), duration (ms). */
export type ResultRow = [
  stepId: string,
  status: z.infer<typeof Status>,
  startedAt: number,
  durationMs: number,
];

/** As stored: the first letter of the status, and the start in ms after that of the run. */
const ShortRow = z.tuple([z.string(), z.enum(['c', 'f', 's']), z.int(), z.int()]);
/** As stored before 2026-11-26. */
const LongRow = z.tuple([z.string(), Status, z.int(), z.int()]);
const Rows = z.array(z.union([ShortRow, LongRow]));

const statuses = { c: 'completed', f: 'failed', s: 'skipped' } as const;

/** Rows are stored as JSON text: a page skips over thousands, and nested DynamoDB lists are slow to decode. */
export const formatRows = (runId: string, rows: readonly ResultRow[]) =>
  JSON.stringify(
    rows.map(([stepId, status, startedAt, durationMs]) => [
      stepId,
      status[0],
      startedAt - getIdTimeMs(runId),
      durationMs,
    ]),
  );

export const parseRows = ({ runId, rows }: Pick<Checkpoint, 'runId' | 'rows'>): ResultRow[] =>
  Rows.parse(JSON.parse(rows)).map(([stepId, status, at, durationMs]) =>
    status === 'c' || status === 'f' || status === 's'
      ? [stepId, statuses[status], getIdTimeMs(runId) + at, durationMs]
      : [stepId, status, at, durationMs],
  );
