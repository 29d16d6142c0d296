import * as z from 'zod';
import { Warning } from '../../core/warnings.ts';
import { WaitView } from '../../domain/run-waits/run-wait.ts';

/** What a run or a turn used. */
export const TokenCounts = z.object({
  input: z.int(),
  output: z.int(),
  cachedInput: z.int().meta({ description: 'The part of `input` that a cache of the provider served' }),
});

const StepRow = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  path: z.string(),
  status: z.enum(['completed', 'failed', 'skipped']),
  output: z.unknown(),
  error: z.string().nullable(),
  errorCode: z.string().optional(),
  durationMs: z.int(),
  modelUsed: z.string().nullable(),
  promptTokens: z.int().nullable(),
  completionTokens: z.int().nullable(),
  totalTokens: z.int().nullable(),
  estimatedCost: z.string().nullable(),
  resolvedPrompt: z.string().optional(),
  warnings: z.array(Warning).optional(),
});

/** Of a run that failed. */
export const errorCodeText =
  '`BUDGET_EXCEEDED` if a budget did not pay for a call of a model, `RATE_LIMITED` if the limits of a model config or its key left it no time, `OUTCOME_UNKNOWN` if what a step did may have taken effect; missing for other failures';

/** Of a whole run. */
const warnings = z.array(Warning).meta({
  description:
    'What went otherwise than asked, and did not fail: at most 20 kinds, counted. docs/warnings.md lists the codes',
});

/** The response to a dispatch that is not streamed. */
export const DispatchResult = z
  .object({
    success: z.boolean().meta({
      description:
        'Whether nothing failed so far. A `paused` run has true: only with the status `completed` it is done',
    }),
    executionId: z.string(),
    status: z.enum(['completed', 'failed', 'paused']),
    output: z.unknown().meta({ description: 'The output of the last step' }),
    error: z.string().nullable(),
    code: z.string().optional().meta({ description: errorCodeText }),
    steps: z.array(StepRow),
    totalTokens: TokenCounts,
    totalCost: z.string().nullable().meta({
      description: 'USD as decimal text; null if a model call has no known price',
    }),
    durationMs: z.int(),
    warnings,
    batchExecutionId: z
      .string()
      .optional()
      .meta({ description: 'For a paused run: the batch of one as which the run continues' }),
    waits: z
      .array(WaitView)
      .optional()
      .meta({ description: 'For a paused run: the approvals and callbacks that continue it' }),
    awaits: z
      .object({ toolCallId: z.string(), toolName: z.string(), parameters: z.unknown() })
      .optional()
      .meta({
        description:
          'For a paused run: the tool that you execute. Send its output to POST /v1/dispatch/resume',
      }),
  })
  .meta({ id: 'DispatchResult' });
export type DispatchResult = z.infer<typeof DispatchResult>;

const Awaited = z.object({
  awaitReason: z.enum(['approval', 'local_tool', 'wait']).meta({
    description: 'wait: the run goes on by itself, when the run inside of it has ended',
  }),
  toolCallId: z.string(),
  approvalId: z.string().optional(),
  runId: z.string().optional().meta({ description: 'The run inside that waits' }),
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
