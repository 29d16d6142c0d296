import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { SketchCounts } from './sketch.ts';

export const runKinds = ['batch', 'flow', 'agent', 'tool'] as const;
export type RunKind = (typeof runKinds)[number];

export const runStatuses = ['scheduled', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];
export type EndStatus = Extract<RunStatus, 'completed' | 'failed' | 'cancelled'>;

export const triggerTypes = [
  'api',
  'console',
  'surface',
  'schedule',
  'webhook',
  'client',
  'mcp',
  'a2a',
  'run',
] as const;

/** What started a run. Members that do not apply are missing. */
export const RunTrigger = z.object({
  type: z.enum(triggerTypes),
  productId: z.string().optional(),
  surfaceId: z.string().optional(),
  scheduleId: z.string().optional(),
  apiKeyId: z.string().optional(),
  userId: z.string().optional(),
});
export type RunTrigger = z.infer<typeof RunTrigger>;

export const RunTokens = z.object({
  input: z.int(),
  output: z.int(),
  cachedInput: z.int(),
  reasoning: z.int(),
});
export type RunTokens = z.infer<typeof RunTokens>;

/** The calls of one model in a run and the runs inside of it. */
const ModelUse = z.object({
  calls: z.int(),
  failed: z.int(),
  tokens: RunTokens,
  /** USD as decimal text; null if a call has no known price. */
  cost: z.string().nullable(),
  /** How long the calls took. */
  durations: SketchCounts,
});
export type ModelUse = z.infer<typeof ModelUse>;

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
  trigger: RunTrigger,
  /** These two: of a run inside of another. */
  parentRunId: z.string().optional(),
  rootRunId: z.string().optional(),
  startedAt: z.string(),
  completedAt: z.string().optional(),
  /** These four include the runs inside. USD as decimal text; null if a model call has no known price. */
  totalCost: z.string().nullable().optional(),
  savedCost: z.string().optional(),
  tokens: RunTokens.optional(),
  /** By `<provider>/<modelId>`. */
  models: z.record(z.string(), ModelUse).optional(),
  counts: z.object({ total: z.int(), completed: z.int(), failed: z.int(), cancelled: z.int() }).optional(),
  /** Of a batch, by the hour in which they ended: `2026-11-26T08`. */
  records: z.record(z.string(), RecordsOfHour).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  tags: z.array(z.string()).optional(),
  sessionId: z.string().optional(),
  ttl: z.int().optional(),
});
export type Run = z.infer<typeof Run>;

/** The runs without a parent of a tenant, and those inside of others. In order of their starts. */
export const runsPartition = tenantPartition('RUNS');
export const insideRunsPartition = tenantPartition('RUNS#INSIDE');
/** The runs inside of one, an index. */
export const childRunsPartition = (parentId: string) => tenantPartition(`RUNS#INSIDE#${parentId}`);
/** Runs that ended in a later hour than they started, in order of their ends; an index. */
export const lateRunsPartition = tenantPartition('RUNS#LATE');

/** The id with its time first, so that runs of all kinds are in order of their starts: `01k9…#exec`. */
export const runSortKey = (id: string) => `${id.slice(-26)}#${id.slice(0, -27)}`;

export interface RunKey {
  id: string;
  parentRunId?: string | undefined;
}

export const hourOf = (at: string) => at.slice(0, 13);

/** The index keys at the end of a run. */
export const lateIndexOf = ({ id, startedAt, completedAt }: Pick<Run, 'id' | 'startedAt' | 'completedAt'>) =>
  completedAt && hourOf(completedAt) !== hourOf(startedAt)
    ? { PK2: lateRunsPartition, SK2: `${completedAt}#${id}` }
    : {};

export const runEntity = defineEntity({
  type: 'run',
  schema: Run,
  key: ({ id, parentRunId }: RunKey) => ({
    PK: parentRunId ? insideRunsPartition : runsPartition,
    SK: runSortKey(id),
  }),
  index: (run) => ({
    ...(run.parentRunId && { PK1: childRunsPartition(run.parentRunId), SK1: runSortKey(run.id) }),
    ...lateIndexOf(run),
  }),
});
