import * as z from 'zod';
import type { CallDetails } from '../../shared/execution/agent-runs/execution-details.ts';

const nullable = z.string().nullable();

export const toolCallExample = {
  id: 'call_01k9m4v7d3x8qz5w2r6t0y1hbn',
  toolName: 'calculator',
  toolDescription: 'Calculates',
  model: 'openai/gpt-5-mini',
  status: 'completed',
  errorMessage: null,
  executionTimeMs: 2,
  iteration: 1,
  createdAt: '2026-11-22T17:55:02.340Z',
};

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
  .meta({ id: 'AgentToolCall', examples: [toolCallExample] });

/** A tool call as lists show it. */
export const toToolCallRow = ({ call, turn, result }: CallDetails): z.input<typeof ToolCallRow> => ({
  id: call.id,
  toolName: call.name,
  toolDescription: call.description ?? null,
  model: turn.modelUsed,
  status: result ? (result.failed ? 'failed' : 'completed') : 'pending',
  errorMessage: result?.failed ? String(result.output) : null,
  executionTimeMs: result?.durationMs ?? null,
  iteration: turn.turn,
  createdAt: turn.at,
});
