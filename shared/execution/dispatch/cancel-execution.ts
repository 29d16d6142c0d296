import { conflict } from '../../core/errors/errors.ts';
import { type Run, runEntity } from '../../domain/runs/run.ts';
import { isOpenRun, runCancelled, runError } from '../../domain/runs/run-list.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { executionEntity } from '../runs/execution.ts';
import { endExecution } from './end-execution.ts';

/** Cancels a dispatched run. Its process stops within seconds, and stores what it took. @throws 409 if it is over. */
export const cancelExecution = /* @__PURE__ */ using(
  [endExecution],
  async (scope: Scope, { id }: Pick<Run, 'id'>): Promise<void> => {
    const { table, now } = scope;
    const execution = await table.get(executionEntity, { id }, { consistent: true });
    const status = 'cancelled' as const;
    try {
      if (execution?.paused) return await endExecution(scope, execution, { status, error: runCancelled });
      const error = runError(status, runCancelled) ?? undefined;
      const set = { status, completedAt: now().toISOString(), error };
      await table.commit([table.writes.update(runEntity, { id }, { set }, isOpenRun)]);
    } catch (failure) {
      throw failure instanceof ConditionFailed ? conflict('The run is over') : failure;
    }
  },
);
