import * as z from 'zod';
import { RunOrigin } from '../../../domain/runs/run-origin.ts';
import { RunSurface } from '../../../domain/surfaces/surface/run-surface.ts';
import { sweepKeys } from '../../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../../platform/data/entity.ts';
import { type IndexKeys, tenantPartition } from '../../../platform/data/keys.ts';
import { PayloadRef } from '../../../platform/data/payloads.ts';

export const executionStatuses = ['running', 'paused', 'completed', 'failed', 'cancelled'] as const;

/** The status of a run. What happened in it is in its log (`run-log.ts`). */
export const AgentExecution = z.object({
  id: z.string(),
  /** Null for an agent that was given inline. */
  agentId: z.string().nullable(),
  agentName: z.string(),
  /** The immutable version that runs; null if `spec` holds the content instead. */
  agentVersionId: z.string().nullable(),
  agentSource: z.enum(['native', 'external']),
  /** The execution that runs this one as a sub-agent or in a step. */
  parentExecutionId: z.string().nullable(),
  parentToolCallId: z.string().optional(),
  /** The agent of the outermost execution. */
  rootAgentId: z.string().nullable(),
  /** Whether a run of an agent runs it, which looks after it. */
  isInAgent: z.boolean(),
  /** The span in which it was started: of the run around it, or one that the request named. */
  startedIn: z.string().optional(),
  depth: z.int(),
  surfaceType: z.string(),
  surface: RunSurface.optional(),
  /** Missing in what an earlier release started. */
  origin: RunOrigin.optional(),
  turnsMax: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  /** What it took to start it. Whoever continues it needs it too. */
  permissions: z.array(z.string()),
  /** Whether a worker runs it. Otherwise it runs in front of its caller, and ends with that process. */
  background: z.boolean(),
  status: z.enum(executionStatuses),
  stopReason: z.string().nullable(),
  error: z.string().nullable(),
  startedAt: z.string(),
  completedAt: z.string().nullable(),
  /** Totals, once it has ended. */
  iterations: z.int().nullable(),
  inputTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
  /** USD as decimal text; null if a model call has no known price. */
  totalCost: z.string().nullable(),
  /** How long it may run, without the time that it waits for somebody. */
  timeoutMs: z.int(),
  /** How long it had run when it last paused. */
  activeMs: z.int(),
  restarts: z.int(),
  /** The process that runs it; empty if none does. */
  holder: z.string(),
  /** Until when the process has it, or until when it waits for somebody. */
  leaseUntil: z.string(),
  /** Until when somebody reads what it says as it says it (`followers.ts`). */
  followedUntil: z.string().optional(),
  /** The messages, the system prompt and the options. */
  input: PayloadRef,
  /** The content of the agent unless it is an immutable version. */
  spec: PayloadRef.nullable(),
  /** Whether what was said is kept after the end. */
  isLogged: z.boolean().default(true),
  ttl: z.int().optional(),
});
export type AgentExecution = z.infer<typeof AgentExecution>;

/** The sweep that finds executions whose process has crashed, and waits that are over. */
export const agentRunSweep = 'AGENT_RUN';

export const agentRunPartition = (id: string) => tenantPartition(`AGENTRUN#${id}`);
export const runsOfAgentPartition = (agentId: string) => tenantPartition(`AGENT#${agentId}#RUNS`);
export const childrenPartition = (parentId: string) => tenantPartition(`AGENTRUN#${parentId}#CHILDREN`);

type Placed = Pick<AgentExecution, 'id' | 'parentExecutionId' | 'isInAgent' | 'leaseUntil'>;

/** One inside of a run of an agent is found by its parent, whose lease covers it. */
export const openRunIndex = (execution: Placed): IndexKeys =>
  execution.isInAgent
    ? childRunIndex(execution)
    : sweepKeys(agentRunSweep, execution.id, execution.leaseUntil);

export const childRunIndex = ({ id, parentExecutionId }: Placed): IndexKeys =>
  parentExecutionId ? { PK2: childrenPartition(parentExecutionId), SK2: id } : {};

export const agentExecutionEntity = defineEntity({
  type: 'agentExecution',
  schema: AgentExecution,
  key: ({ id }: { id: string }) => ({ PK: agentRunPartition(id), SK: 'EXECUTION' }),
  index: (execution) => ({
    ...(execution.agentId && { PK1: runsOfAgentPartition(execution.agentId), SK1: execution.id }),
    ...openRunIndex(execution),
  }),
  summary: [
    'agentId',
    'agentName',
    'agentSource',
    'parentExecutionId',
    'parentToolCallId',
    'surfaceType',
    'surface',
    'status',
    'stopReason',
    'startedAt',
    'completedAt',
    'iterations',
    'inputTokens',
    'outputTokens',
    'totalCost',
  ],
});

export const isExecutionOver = ({ status }: Pick<AgentExecution, 'status'>) =>
  status === 'completed' || status === 'failed' || status === 'cancelled';
