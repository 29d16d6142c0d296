import { conflict } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { type Run, runEntity } from '../../domain/runs/run.ts';
import { isOpenRun } from '../../domain/runs/run-list.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Execution, executionEntity } from '../runs/execution.ts';
import { endExecution } from './end-execution.ts';

/** How often the process of a run looks whether somebody has cancelled it. */
const lookMs = 1_000;

/** A signal that is aborted when somebody cancels the run, as long as the watch is not disposed of. */
export function cancellation({ table }: Pick<Scope, 'table'>, { id }: Pick<Execution, 'id'>) {
  const cancelled = new AbortController();
  const look = async () => {
    try {
      const run = await table.get(runEntity, { id });
      if (run?.status !== 'cancelled') return;
      clearInterval(timer);
      cancelled.abort(new DOMException('The run was cancelled', 'AbortError'));
    } catch (error) {
      log.warn('It is unknown whether a run was cancelled', { error });
    }
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return { signal: cancelled.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/** Cancels a dispatched run. Its process stops within seconds, and stores what it took. @throws 409 if it is over. */
export const cancelExecution = /* @__PURE__ */ using(
  [endExecution],
  async (scope: Scope, { id }: Pick<Run, 'id'>): Promise<void> => {
    const { table, now } = scope;
    const execution = await table.get(executionEntity, { id }, { consistent: true });
    const error = 'The run was cancelled';
    try {
      if (execution?.paused) return await endExecution(scope, execution, { status: 'cancelled', error });
      const set = { status: 'cancelled' as const, completedAt: now().toISOString() };
      await table.commit([table.writes.update(runEntity, { id }, { set }, isOpenRun)]);
    } catch (failure) {
      throw failure instanceof ConditionFailed ? conflict('The run is over') : failure;
    }
  },
);
