import { unixSeconds } from '../../core/time/unix-seconds.ts';
import { listedSeconds } from '../../domain/listed-seconds.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import type { NewRun, RunEnding } from '../../domain/runs/run-list.ts';
import { totalsOfCalls } from '../../domain/runs/run-totals.ts';
import type { ToolExecution } from '../../domain/tools/tool-execution.ts';

/** A run of a tool by itself as it is listed: at its end only, since its caller waits for it. */
export const runOfTool = (
  { id, toolId, startedAt }: ToolExecution,
  name: string,
): Omit<NewRun, 'trigger'> => ({
  id,
  kind: 'tool',
  name,
  toolId,
  startedAt,
  ttl: unixSeconds(new Date(startedAt)) + listedSeconds,
});

/** One that the caller has to execute is over for this service. */
export function endingOfTool(
  { status, error, startedAt, executionTimeMs }: ToolExecution,
  calls: readonly ModelCall[],
): RunEnding {
  const at = new Date(Date.parse(startedAt) + executionTimeMs).toISOString();
  return {
    status: status === 'failed' ? 'failed' : 'completed',
    at,
    totals: totalsOfCalls(calls),
    error: error === null ? null : { code: 'TOOL_FAILED', message: error },
  };
}
