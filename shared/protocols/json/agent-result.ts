import * as z from 'zod';
import { errorCodeText, warnings } from './dispatch-result.ts';
import { TokenCounts } from './tokens.ts';

const Awaited = z.object({
  awaitReason: z.enum(['approval', 'local_tool']),
  toolCallId: z.string(),
  approvalId: z.string().optional(),
  toolName: z.string(),
  parameters: z.unknown(),
  until: z.string(),
});

/** The response to a run of an agent that is not streamed. */
export const AgentResult = z
  .object({
    success: z.boolean().meta({
      description:
        'Whether nothing failed so far. A run that is `running` or `paused` has true: only with the status `completed` it is done',
    }),
    executionId: z.string(),
    status: z.enum(['running', 'paused', 'completed', 'failed', 'cancelled']),
    result: z.unknown().meta({ description: 'What the agent answered' }),
    stopReason: z.string().nullable(),
    error: z.string().nullable(),
    code: z.string().optional().meta({ description: errorCodeText }),
    iterations: z.int(),
    totalTokens: TokenCounts,
    totalCost: z.string().nullable().meta({
      description: 'USD as decimal text; null if a model call has no known price',
    }),
    durationMs: z.int(),
    warnings,
    pausedReason: z
      .object({ executionId: z.string(), awaits: z.array(Awaited) })
      .optional()
      .meta({
        description: 'For a paused run: the calls that wait for an approval, or for you to execute them',
      }),
  })
  .meta({
    id: 'AgentResult',
    examples: [
      {
        success: true,
        executionId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
        status: 'completed',
        result: 'Eldoret, at 2,150 m',
        stopReason: 'end_turn',
        error: null,
        iterations: 2,
        totalTokens: { input: 1_240, output: 44, cachedInput: 1_024 },
        totalCost: '0.00412',
        durationMs: 4_120,
        warnings: [],
      },
    ],
  });
export type AgentResult = z.infer<typeof AgentResult>;
