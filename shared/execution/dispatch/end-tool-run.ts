import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import { type Run, runEntity } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { isOpenRun, type NewRun, type RunEnding, runCancelled } from '../../domain/runs/run-list.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import { noTotals, totalsOfCalls } from '../../domain/runs/run-use.ts';
import { type ToolExecution, toolExecutionStore, toolRunExpiry } from '../../domain/tools/tool-run-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

const toExecutionStart = ({ id, toolId = '', startedAt }: Run) => ({ id, toolId, startedAt });

/** Ends the run of a tool elsewhere than in its process. Both are refused if it is over. */
export const toolRunEnder = /* @__PURE__ */ using([toolExecutionStore, runEnd], (scope: Scope) => {
  const { table, now } = scope;
  const executions = toolExecutionStore(scope);
  return {
    /** Its process stops within seconds, and stores what it took. @throws ConditionFailed */
    async cancel(run: Run): Promise<void> {
      const [status, completedAt] = ['cancelled' as const, now().toISOString()];
      const set = { status, completedAt, error: toToolRunError(status, runCancelled) ?? undefined };
      const { id } = run;
      await table.commit([
        table.writes.update(runEntity, { id }, { set }, isOpenRun),
        executions.endWrite(toExecutionStart(run), status, runCancelled),
      ]);
    },

    /** For one whose process crashed. @throws ConditionFailed */
    async fail(run: Run, message: string): Promise<void> {
      const [status, at] = ['failed' as const, now().toISOString()];
      const ending = { status, at, error: toToolRunError(status, message), totals: noTotals };
      const { writes, send } = await runEnd(scope, run, { ...ending, condition: isOpenRun });
      await table.commit([...writes, executions.endWrite(toExecutionStart(run), status, message)]);
      await send();
    },
  };
});

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

const toToolRunError = (status: ToolExecution['status'], message: string | null): RunEnding['error'] =>
  message === null ? null : { code: status === 'cancelled' ? 'CANCELLED' : 'TOOL_FAILED', message };
