import { conflict, ServiceError } from '../../core/errors/errors.ts';
import type { Run } from '../../domain/runs/run.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { endRun } from '../agent-runs/end-run.ts';
import { batchCanceller } from '../batches/cancelled-runs.ts';
import { cancelExecution } from '../dispatch/cancel-execution.ts';

const reason = 'The run was cancelled';

/** Cancels a run of any kind. @throws 409 if it is over. */
export const runCanceller = /* @__PURE__ */ using(
  [batchCanceller, cancelExecution, endRun],
  (scope: Scope) => {
    const cancelBatch = batchCanceller(scope);

    return async (run: Run): Promise<void> => {
      if (run.completedAt !== undefined) throw isOver();
      const batchId = run.kind === 'batch' ? run.id : run.batchId;
      if (batchId) return cancelBatch(batchId).catch(ifConflict);
      if (run.kind === 'flow') return cancelExecution(scope, run);
      if (run.kind === 'tool') throw isOver();
      if (!(await endRun(scope, run.id, { stopReason: 'cancelled', error: reason }))) throw isOver();
    };
  },
);

const isOver = () => conflict('The run is over');

function ifConflict(error: unknown): never {
  throw error instanceof ServiceError && error.code === 'CONFLICT' ? isOver() : error;
}
