import { type EndStatus, runEntity } from '../../domain/runs/run.ts';
import { isNotOver, type RunEnding } from '../../domain/runs/run-list.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';

export const endStatusOf = (failed: boolean, isCancelled: () => boolean): EndStatus => {
  if (!failed) return 'completed';
  return isCancelled() ? 'cancelled' : 'failed';
};

/** Why a run ended, for whoever asks. */
export const endError = (status: EndStatus, error: string | null) =>
  error ?? (status === 'cancelled' ? 'The run was cancelled' : null);

/**
 * Ends a run, and as cancelled if somebody has cancelled it since its process last looked.
 * @param commit With the condition on the row of the run.
 */
export async function endUnlessCancelled(
  { table }: Scope,
  id: string,
  status: EndStatus,
  commit: (status: EndStatus, condition: Pick<RunEnding, 'condition'>) => Promise<void>,
): Promise<void> {
  if (status === 'cancelled') return commit(status, {});
  try {
    await commit(status, { condition: isNotOver });
  } catch (failure) {
    if (!(failure instanceof ConditionFailed)) throw failure;
    const run = await table.get(runEntity, { id }, { consistent: true });
    if (run?.status !== 'cancelled') throw failure;
    await commit('cancelled', {});
  }
}
