import type { StopReason } from '../../agent-loop/facts.ts';
import type { AgentRunEvent, NumberedEvent } from '../../events/agent-run-event.ts';
import type { AgentExecution } from '../executions/agent-execution.ts';

/** A run that is no longer there, as it is for those who still read it: deleting its agent cancels it first. */
export const deletedRun = (execution: AgentExecution): AgentExecution => ({
  ...execution,
  status: 'cancelled',
  stopReason: 'cancelled',
  error: 'The agent was deleted',
});

export type EndEvent = NumberedEvent & { event: Extract<AgentRunEvent, { type: 'ended' }> };

export function endWithoutLog(execution: AgentExecution, seq: number): EndEvent {
  const { id: executionId, stopReason, error, startedAt, completedAt, totalCost: cost } = execution;
  const { iterations, inputTokens, outputTokens } = execution;
  const at = completedAt ?? startedAt;
  return {
    executionId,
    seq,
    turnId: undefined,
    event: {
      type: 'ended',
      end: { type: 'end', stopReason: (stopReason ?? 'error') as StopReason, output: null, error, at },
      summary: {
        iterations: iterations ?? 0,
        inputTokens: inputTokens ?? 0,
        outputTokens: outputTokens ?? 0,
        // Only the log knows these.
        cachedInputTokens: 0,
        cacheSavings: '0',
        warnings: [],
        cost,
        durationMs: Math.max(0, Date.parse(at) - Date.parse(startedAt)),
      },
    },
  };
}
