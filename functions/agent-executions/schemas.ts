import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { type AgentExecution, executionStatuses } from '../../shared/execution/agent-runs/agent-execution.ts';

export const ExecutionParams = z.object({ id: idOf('agent'), executionId: idOf('exec') });

const nullable = z.string().nullable();

export const ExecutionRow = z
  .object({
    id: z.string(),
    executionId: z.string().meta({ description: 'The same as `id`' }),
    agentId: nullable.meta({ description: 'Null for an agent that was given inline' }),
    agentSource: nullable.meta({ description: 'native, or external for an agent that another server runs' }),
    agentSpec: z.unknown().nullable().meta({ description: 'In the details: the content that runs' }),
    parentExecutionId: nullable,
    surfaceType: nullable,
    status: z.enum(executionStatuses),
    stopReason: nullable,
    iterations: z.int().nullable().meta({ description: 'Turns; null while the run is open' }),
    totalTokens: z.int().nullable(),
    totalCost: nullable.meta({
      description:
        'USD as decimal text, with the runs inside of this one; null while the run is open, or if a model call has no known price',
    }),
    inputMessages: z.unknown().nullable().meta({ description: 'In the details' }),
    startedAt: nullable,
    completedAt: nullable,
    createdAt: z.string(),
  })
  .meta({ id: 'AgentExecution' });

type RowFields = Pick<
  AgentExecution,
  | 'agentId'
  | 'agentSource'
  | 'parentExecutionId'
  | 'surfaceType'
  | 'status'
  | 'stopReason'
  | 'iterations'
  | 'inputTokens'
  | 'outputTokens'
  | 'totalCost'
  | 'startedAt'
  | 'completedAt'
> & { id: string };

/** An execution as lists show it. */
export const toExecutionRow = (execution: RowFields): z.input<typeof ExecutionRow> => {
  const { id, inputTokens, outputTokens, startedAt, ...fields } = execution;
  return {
    ...{ id, executionId: id, ...fields, startedAt, createdAt: startedAt },
    ...{ agentSpec: null, inputMessages: null },
    totalTokens: inputTokens === null ? null : inputTokens + (outputTokens ?? 0),
  };
};
