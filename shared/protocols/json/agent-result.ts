import * as z from 'zod';
import { addSpending, formatCost, noSpending } from '../../adapters/ports/spending.ts';
import type { LoopWait } from '../../execution/agent-loop/facts.ts';
import type { NumberedEvent } from '../../execution/agent-runs/agent-run-event.ts';
import { errorCodeText, warnings } from './dispatch-result.ts';
import { TokenCounts, toTokenCounts } from './tokens.ts';

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

export async function readAgentResult(
  executionId: string,
  events: AsyncIterable<NumberedEvent>,
): Promise<AgentResult> {
  let spending = noSpending;
  const awaits: z.infer<typeof Awaited>[] = [];
  let [iterations, durationMs] = [0, 0];
  for await (const { event } of events) {
    if (event.type === 'turn_complete') {
      iterations = event.iteration;
      spending = addSpending(spending, event.spending);
    } else if (event.type === 'awaiting') {
      awaits.push(toAwaited(event.wait));
      durationMs = event.durationMs;
    } else if (event.type === 'ended') {
      const { end, summary } = event;
      return {
        success: end.error === null,
        executionId,
        result: end.output,
        stopReason: end.stopReason,
        status: end.stopReason === 'cancelled' ? 'cancelled' : end.error === null ? 'completed' : 'failed',
        error: end.error,
        ...(end.errorCode && { code: end.errorCode }),
        iterations: summary.iterations,
        totalTokens: toTokenCounts(summary),
        totalCost: formatCost(summary),
        durationMs: summary.durationMs,
        warnings: [...summary.warnings],
      };
    }
  }
  const status = awaits.length > 0 ? ('paused' as const) : ('running' as const);
  return {
    success: true,
    executionId,
    status,
    result: null,
    stopReason: null,
    error: null,
    iterations,
    totalTokens: toTokenCounts(spending),
    totalCost: null,
    durationMs,
    warnings: [],
    ...(awaits.length > 0 && { pausedReason: { executionId, awaits } }),
  };
}

const toAwaited = ({ kind, callId: toolCallId, approvalId, toolName, parameters, until }: LoopWait) => ({
  awaitReason: kind === 'approval' ? ('approval' as const) : ('local_tool' as const),
  toolCallId,
  toolName,
  parameters,
  until,
  ...(approvalId && { approvalId }),
});
