import * as z from 'zod';

export const ToolAnswerResponse = z
  .object({
    executionId: z.string(),
    status: z.enum(['pending', 'success', 'failed', 'waiting_for_local']),
    executionTimeMs: z.number(),
    result: z.unknown().optional(),
    error: z.string().optional(),
  })
  .meta({ id: 'ToolExecutionResult' });

/** Reserved for recording the execution. */
export const reserveMs = 2_000;
