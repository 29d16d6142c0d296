import * as z from 'zod';
import type { CallDetails } from '../../shared/execution/agent-runs/execution-details.ts';

const nullable = z.string().nullable();

export const ToolCallRow = z
  .object({
    id: z.string(),
    toolName: z.string(),
    toolDescription: nullable,
    model: nullable.meta({ description: 'The model that requested the call' }),
    status: z.enum(['pending', 'completed', 'failed']),
    errorMessage: nullable,
    executionTimeMs: z.int().nullable(),
    iteration: z.int().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'AgentToolCall' });

/** A tool call as lists show it. */
export const toToolCallRow = ({ call, turn, result }: CallDetails): z.input<typeof ToolCallRow> => ({
  ...{ id: call.id, toolName: call.name, toolDescription: call.description ?? null, model: turn.modelUsed },
  status: result ? (result.failed ? 'failed' : 'completed') : 'pending',
  errorMessage: result?.failed ? String(result.output) : null,
  executionTimeMs: result?.durationMs ?? null,
  iteration: turn.turn,
  createdAt: turn.at,
});
