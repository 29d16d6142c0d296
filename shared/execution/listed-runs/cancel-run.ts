import { conflict, ifCode } from '../../core/errors/errors.ts';
import type { Run } from '../../domain/runs/run.ts';
import { runCancelled } from '../../domain/runs/run-list.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { endRun } from '../agent-runs/sweep-runs.ts';
import { cancelExecution } from '../dispatch/end-execution.ts';
import { toolRunEnder } from '../dispatch/end-tool-run.ts';
import { batchCanceller } from '../record-runs/run-record.ts';

/** Cancels a run of any kind. @throws 409 if it is over. */
export const runCanceller = /* @__PURE__ */ using(
  [batchCanceller, cancelExecution, endRun, toolRunEnder],
  (scope: Scope) => {
    const cancelBatch = batchCanceller(scope);

    return async (run: Run): Promise<void> => {
      if (run.completedAt !== undefined) throw isOver();
      const batchId = run.kind === 'batch' ? run.id : run.batchId;
      const wasOpen = batchId
        ? cancelBatch(batchId).then(() => true, ifCode('CONFLICT', false))
        : run.kind === 'flow'
          ? cancelExecution(scope, run).then(() => true)
          : run.kind === 'tool'
            ? toolRunEnder(scope)
                .cancel(run)
                .then(() => true, onConditionFailed(false))
            : endRun(scope, run.id, { stopReason: 'cancelled', error: runCancelled });
      if (!(await wasOpen)) throw isOver();
    };
  },
);

const isOver = () => conflict('The run is over');
