import * as z from 'zod';

export const ToolAnswerResponse = z
  .object({
    executionId: z.string(),
    status: z.enum(['pending', 'success', 'failed', 'cancelled', 'waiting_for_local']),
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

export const ToolRunOptions = z
  .strictObject({
    storeResults: z.boolean().default(true).meta({
      description:
        'Whether to store the arguments and the result, for GET /v1/runs/{id} and its trace. They are masked, and kept for 30 days',
    }),
  })
  .prefault({});

/** Reserved for recording the execution. */
export const reserveMs = 2_000;
