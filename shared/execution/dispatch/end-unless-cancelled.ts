import type { EndNotice } from '../../domain/deliveries/end-notice.ts';
import { type EndStatus, runEntity } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { isNotOver } from '../../domain/runs/run-list.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { WriteCondition } from '../../platform/data/writes.ts';
import type { Execution } from '../runs/execution.ts';
import { endError, endingOfFlow, type FlowEnding, runOfFlow } from '../runs/flow-run-listing.ts';

interface Ended {
  status: EndStatus;
  error: string | null;
  /** Commit it with the end, and send it then. */
  listed: EndNotice;
}

export const flowEndStatus = (failed: boolean, isCancelled: () => boolean): EndStatus => {
  if (!failed) return 'completed';
  return isCancelled() ? 'cancelled' : 'failed';
};

/**
 * Ends a run, and as cancelled if somebody has cancelled it since its process last looked: the row of the run refuses any
 * other end then.
 */
export async function endUnlessCancelled(
  scope: Scope,
  execution: Execution,
  { status, ...end }: FlowEnding & { status: EndStatus },
  commit: (ended: Ended) => Promise<void>,
): Promise<void> {
  const endAs = async (status: EndStatus, condition?: WriteCondition) => {
    const error = endError(status, end.error);
    const ending = endingOfFlow({ ...end, error }, status);
    const listed = await runEnd(scope, runOfFlow(execution), { ...ending, ...(condition && { condition }) });
    await commit({ status, error, listed });
  };
  if (status === 'cancelled') return endAs(status);
  try {
    await endAs(status, isNotOver);
  } catch (failure) {
    if (!(failure instanceof ConditionFailed)) throw failure;
    const run = await scope.table.get(runEntity, { id: execution.id }, { consistent: true });
    if (run?.status !== 'cancelled') throw failure;
    await endAs('cancelled');
  }
}
