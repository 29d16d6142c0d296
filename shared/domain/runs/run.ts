import * as z from 'zod';
import { getIdCreatedAt, idCeiling, idFloor } from '../../core/ids.ts';
import { Note } from '../../core/note.ts';
import { Warning } from '../../core/warnings.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { RunOrigin } from './run-origin.ts';
import { RunTokens, RunUse } from './run-use.ts';
import { SketchCounts } from './sketch.ts';

export const runKinds = ['batch', 'flow', 'agent', 'tool'] as const;
export type RunKind = (typeof runKinds)[number];

export const runStatuses = ['scheduled', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;

export type EndStatus = Extract<(typeof runStatuses)[number], 'completed' | 'failed' | 'cancelled'>;

/** The records of a batch that ended in one hour. */
const RecordsOfHour = z.object({ completed: z.int(), failed: z.int(), durations: SketchCounts });
export type RecordsOfHour = z.infer<typeof RecordsOfHour>;

/**
 * What was started as a whole, for lists and numbers. Written when it starts and in the transaction that ends it; a run
 * inside of another only at its end. What happened in it is stored with the batch, the execution or the tool's execution.
 */
export const Run = z.object({
  /** `batch_…`, `exec_…` or `toolrun_…` */
  id: z.string(),
  kind: z.enum(runKinds),
  name: z.string(),
  status: z.enum(runStatuses),
  stopReason: z.string().optional(),
  flowId: z.string().optional(),
  flowVersionId: z.string().optional(),
  agentId: z.string().optional(),
  agentVersionId: z.string().optional(),
  toolId: z.string().optional(),
  /** The stored record of a flow. */
  recordId: z.string().optional(),
  /** The batch of one as which a flow runs, or goes on after a wait. */
  batchId: z.string().optional(),
  ...RunOrigin.shape,
  /** The runs that repeat it, oldest first. */
  retriedBy: z.array(z.string()).optional(),
  /** The span in which it was started, of a run of which nothing else is stored. */
  startedIn: z.string().optional(),
  /** What happened in it, likewise. */
  notes: z.array(Note).optional(),
  startedAt: z.string(),
  completedAt: z.string().optional(),
  /** These include the runs inside. USD as decimal text; null if a model call has no known price. */
  totalCost: z.string().nullable().optional(),
  savedCost: z.string().optional(),
  cacheSavings: z.string().optional(),
  tokens: RunTokens.optional(),
  /** The model calls of the run itself, without those of runs inside that are listed. */
  use: RunUse.optional(),
  counts: z.object({ total: z.int(), completed: z.int(), failed: z.int(), cancelled: z.int() }).optional(),
  /** Of a batch, by the hour in which they ended: `2026-11-26T08`. */
  records: z.record(z.string(), RecordsOfHour).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  /** With those of the runs inside. */
  warnings: z.array(Warning).optional(),
  /** Their codes, by which a list filters. */
  warningCodes: z.array(z.string()).optional(),
  ttl: z.int().optional(),
});
export type Run = z.infer<typeof Run>;

/** The runs without a parent of a tenant, and those inside of others. In order of their starts. */
export const runsPartition = tenantPartition('RUNS');
export const insideRunsPartition = tenantPartition('RUNS#INSIDE');
/** The runs inside of one, an index. */
export const childRunsPartition = (parentId: string) => tenantPartition(`RUNS#INSIDE#${parentId}`);
/** Runs that ended in another hour than that of their id, in order of their ends; an index. */
export const lateRunsPartition = tenantPartition('RUNS#LATE');

/** The id with its time first, so that runs of all kinds are in order of their starts: `01k9…#exec`. */
export const runSortKey = (id: string) => `${sliceTime(id)}#${id.slice(0, -27)}`;

/** Bounds of these keys, for runs of all kinds that began then or later, or then or before. @param ms Unix milliseconds. */
export const toRunsFloor = (ms: number) => sliceTime(idFloor('exec', ms));
export const toRunsCeiling = (ms: number) => `${sliceTime(idCeiling('exec', ms))}#~`;

const sliceTime = (id: string) => id.slice(-26);

export interface RunKey {
  id: string;
  parentRunId?: string | undefined;
}

/** Of a run that is inside of another one, whichever that is. */
export const toInsideKey = (id: string): RunKey => ({ id, parentRunId: 'inside' });

export const toHour = (at: string) => at.slice(0, 13);

/** The index keys at the end of a run. The time of its id counts, by which rows are found: it may be before the start. */
const toLateIndex = ({ id, completedAt }: Pick<Run, 'id' | 'completedAt'>) =>
  completedAt && toHour(completedAt) !== toHour(getIdCreatedAt(id))
    ? { PK2: lateRunsPartition, SK2: `${completedAt}#${id}` }
    : {};

export const runEntity = defineEntity({
  type: 'run',
  schema: Run,
  key: ({ id, parentRunId }: RunKey) => ({
    PK: parentRunId ? insideRunsPartition : runsPartition,
    SK: runSortKey(id),
  }),
  // All that a list shows or filters by: its indexes have nothing else.
  summary: [
    'id',
    'kind',
    'name',
    'status',
    'stopReason',
    'flowId',
    'flowVersionId',
    'agentId',
    'agentVersionId',
    'toolId',
    'recordId',
    'batchId',
    'trigger',
    'parentRunId',
    'rootRunId',
    'startedAt',
    'completedAt',
    'totalCost',
    'savedCost',
    'cacheSavings',
    'tokens',
    'counts',
    'error',
    'warnings',
    'warningCodes',
    'tags',
    'sessionId',
    'clientTokenId',
    'retryOf',
    'retriedBy',
  ],
  packing: { fields: ['use', 'records', 'notes'], dictionaries: [''] },
  index: (run) => ({
    ...(run.parentRunId && { PK1: childRunsPartition(run.parentRunId), SK1: runSortKey(run.id) }),
    ...toLateIndex(run),
  }),
});
