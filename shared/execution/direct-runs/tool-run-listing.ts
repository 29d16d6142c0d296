import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import type { NewRun, RunEnding } from '../../domain/runs/run-list.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import { totalsOfCalls } from '../../domain/runs/run-use.ts';
import { type ToolExecution, toolRunExpiry } from '../../domain/tools/tool-execution.ts';

/** A run of a tool by itself as it is listed. */
export const toToolRun = (
  { id, toolId, startedAt }: ToolExecution,
  name: string,
  origin: RunOrigin,
): NewRun => ({ id, kind: 'tool', name, toolId, ...origin, startedAt, ttl: toolRunExpiry({ startedAt }) });

/** One that the caller has to execute is over for this service. */
export function toToolEnding(
  { status, error, startedAt, executionTimeMs }: ToolExecution,
  calls: readonly ModelCall[],
): RunEnding {
  const at = new Date(Date.parse(startedAt) + executionTimeMs).toISOString();
  return {
    status: status === 'failed' || status === 'cancelled' ? status : 'completed',
    at,
    totals: totalsOfCalls(calls),
    error: toToolRunError(status, error),
  };
}

export const toToolRunError = (
  status: ToolExecution['status'],
  message: string | null,
): RunEnding['error'] =>
  message === null ? null : { code: status === 'cancelled' ? 'CANCELLED' : 'TOOL_FAILED', message };
