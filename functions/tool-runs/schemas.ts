import * as z from 'zod';

export const ToolAnswerResponse = z
  .object({
    executionId: z.string(),
    status: z.enum(['pending', 'success', 'failed', 'waiting_for_local']),
    executionTimeMs: z.number(),
    result: z.unknown().optional(),
    error: z.string().optional(),
  })
  .meta({
    id: 'ToolExecutionResult',
    examples: [
      {
        executionId: 'toolrun_01k9m4v7d3x8qz5w2r6t0y1hbn',
        status: 'success',
        executionTimeMs: 12,
        result: { iso: '2026-11-22T10:30:00+01:00' },
      },
    ],
  });

/** Reserved for recording the execution. */
export const reserveMs = 2_000;
