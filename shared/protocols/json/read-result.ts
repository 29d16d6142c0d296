/**
 * The responses to runs that are not streamed, read from their events: `readAgentResult` and `readDispatchResult`.
 * A paused run says what it waits for, and what the caller can do about it (`toAwaitReason`).
 * Apart from the schemas, which documents load too.
 */
import { addSpending, formatCost, noSpending } from '../../adapters/ports/spending.ts';
import { type LoopWait, toAwaitReason } from '../../execution/agent-loop/facts.ts';
import type { NumberedEvent } from '../../execution/agent-runs/run-events.ts';
import type { FinalEvent, FlowRunEvent, FlowRunEventOf } from '../../execution/runs/flow-run-event.ts';
import type { AgentResult, DispatchResult } from './dispatch-result.ts';
import { toTokenCounts } from './token-counts.ts';

type Awaited = NonNullable<AgentResult['pausedReason']>['awaits'][number];
type StepRow = DispatchResult['steps'][number];

export async function readAgentResult(
  executionId: string,
  events: AsyncIterable<NumberedEvent>,
): Promise<AgentResult> {
  let spending = noSpending;
  const awaits: Awaited[] = [];
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

/** What a run of an agent waits for, as callers see it. */
export const toAwaited = (wait: LoopWait) => {
  const { callId: toolCallId, approvalId, runId, toolName, parameters, until } = wait;
  return {
    awaitReason: toAwaitReason(wait),
    toolCallId,
    toolName,
    parameters,
    until,
    ...(approvalId && { approvalId }),
    ...(runId && { runId }),
  };
};

export async function readDispatchResult(events: AsyncIterable<FlowRunEvent>): Promise<DispatchResult> {
  const steps: StepRow[] = [];
  let executionId = '';
  for await (const event of events) {
    if (event.type === 'started') executionId = event.execution.id;
    else if (event.type === 'step-ended') steps.push(toRow(event));
    else if ('totals' in event) {
      const { durationMs, totals } = event;
      return {
        executionId,
        steps,
        totalTokens: toTokenCounts(totals),
        totalCost: formatCost(totals),
        durationMs,
        warnings: [...totals.warnings],
        ...toEnding(event),
      };
    }
  }
  throw new Error('An execution ended without its last event');
}

function toRow({ step, result }: FlowRunEventOf<'step-ended'>): StepRow {
  const { promptTokens = null, completionTokens = null, estimatedCost = null, resolvedPrompt } = result;
  const { stepId: id, path, status, output = null, error = null, durationMs, modelUsed = null } = result;
  return {
    id,
    name: step.name,
    type: step.type,
    path,
    status,
    output,
    error,
    ...(result.errorCode && { errorCode: result.errorCode }),
    durationMs,
    modelUsed,
    promptTokens,
    completionTokens,
    estimatedCost,
    totalTokens: promptTokens === null || completionTokens === null ? null : promptTokens + completionTokens,
    ...(resolvedPrompt !== undefined && { resolvedPrompt }),
    ...(result.warnings && { warnings: [...result.warnings] }),
  };
}

function toEnding(
  event: FinalEvent,
): Pick<
  DispatchResult,
  'success' | 'status' | 'output' | 'error' | 'code' | 'batchExecutionId' | 'waits' | 'awaits'
> {
  switch (event.type) {
    case 'cut-off':
      return { success: false, status: 'failed', output: null, error: event.error.message };
    case 'suspended': {
      const { batchId: batchExecutionId, waits } = event;
      const paused = {
        success: true,
        status: 'paused',
        output: null,
        error: null,
        batchExecutionId,
      } as const;
      return { ...paused, ...(waits.length > 0 && { waits }) };
    }
    case 'awaiting': {
      const awaits = { toolCallId: event.toolCallId, ...event.call };
      return { success: true, status: 'paused', output: null, error: null, awaits };
    }
    case 'ended': {
      const { success, output, error, errorCode: code } = event;
      return { success, status: success ? 'completed' : 'failed', output, error, ...(code && { code }) };
    }
  }
}
