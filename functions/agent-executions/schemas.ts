import * as z from 'zod';
import { type AgentExecution, executionStatuses } from '../../shared/execution/agent-runs/agent-execution.ts';

const nullable = z.string().nullable();

export const executionExample = {
  id: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
  executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
  agentId: 'agent_01k9m4v7d3x8qz5w2r6t0y1hbn',
  agentName: 'Airport guide',
  agentSource: 'native',
  agentSpec: null,
  parentExecutionId: null,
  parentToolCallId: null,
  surfaceType: 'api',
  surfaceId: null,
  productId: null,
  status: 'completed',
  stopReason: 'end_turn',
  iterations: 2,
  totalTokens: 1_284,
  totalCost: '0.00412',
  inputMessages: null,
  startedAt: '2026-11-22T17:55:00.000Z',
  completedAt: '2026-11-22T17:55:04.120Z',
  createdAt: '2026-11-22T17:55:00.000Z',
};

export const ExecutionRow = z
  .object({
    id: z.string(),
    executionId: z.string().meta({ description: 'The same as `id`' }),
    agentId: nullable.meta({ description: 'Null for an agent that was given inline' }),
    agentName: nullable.meta({
      description:
        'At the start of the execution. Lists have null for executions that an earlier release started',
    }),
    agentSource: nullable.meta({ description: 'native, or external for an agent that another server runs' }),
    agentSpec: z.unknown().meta({
      description:
        'In the details: the config and capabilities that run if `agentVersionId` is null; null if over 1 MB',
    }),
    parentExecutionId: nullable,
    parentToolCallId: nullable.meta({
      description: 'The tool call of the parent that started it; null also if an earlier release did',
    }),
    surfaceType: nullable,
    surfaceId: nullable.meta({ description: 'The surface of a product whose call started it' }),
    productId: nullable,
    status: z.enum(executionStatuses),
    stopReason: nullable,
    iterations: z.int().nullable().meta({ description: 'Turns; null while the run is open' }),
    totalTokens: z.int().nullable(),
    totalCost: nullable.meta({
      description:
        'USD as decimal text, with the runs inside of this one; null while the run is open, or if a model call has no known price',
    }),
    inputMessages: z.unknown().meta({ description: 'In the details; null there if over 1 MB' }),
    startedAt: nullable,
    completedAt: nullable,
    createdAt: z.string(),
  })
  .meta({ id: 'AgentExecution', examples: [executionExample] });

type RowFields = Pick<
  AgentExecution,
  | 'agentId'
  | 'agentSource'
  | 'parentExecutionId'
  | 'surfaceType'
  | 'surface'
  | 'status'
  | 'stopReason'
  | 'iterations'
  | 'inputTokens'
  | 'outputTokens'
  | 'totalCost'
  | 'startedAt'
  | 'completedAt'
> & { id: string; agentName?: string; parentToolCallId?: string | undefined };

/** An execution as lists show it. */
export const toExecutionRow = (execution: RowFields): z.input<typeof ExecutionRow> => {
  const { id, inputTokens, outputTokens, startedAt, surface, ...fields } = execution;
  return {
    id,
    executionId: id,
    ...fields,
    startedAt,
    createdAt: startedAt,
    surfaceId: surface?.surfaceId ?? null,
    productId: surface?.productId ?? null,
    agentName: execution.agentName ?? null,
    agentSpec: null,
    inputMessages: null,
    parentToolCallId: execution.parentToolCallId ?? null,
    totalTokens: inputTokens === null ? null : inputTokens + (outputTokens ?? 0),
  };
};
