import { type Run, runEntity } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { isOpenRun, runCancelled } from '../../domain/runs/run-list.ts';
import { noTotals } from '../../domain/runs/run-use.ts';
import { toolExecutionStore } from '../../domain/tools/tool-execution.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toToolRunError } from './tool-run-listing.ts';

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
