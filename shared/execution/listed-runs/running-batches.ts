import type { Run } from '../../domain/runs/run.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { batchFinder } from '../batches/batch-store.ts';

/** Running batches as their records stand now: two more requests, if there are any. */
export async function addProgress(scope: Scope, runs: readonly Run[]): Promise<Run[]> {
  const open = runs.filter(({ kind, completedAt }) => kind === 'batch' && completedAt === undefined);
  if (open.length === 0) return [...runs];
  const states = await batchFinder(scope).statesOf(open.map(({ id }) => id));
  return runs.map((run) => {
    const state = run.completedAt === undefined ? states.get(run.id) : undefined;
    if (!state) return run;
    const {
      status,
      totalRecords: total,
      processedRecords,
      failedRecords: failed,
      completedAt,
    } = state.progress;
    return {
      ...run,
      // Its records are in the queue.
      status: status === 'scheduled' && state.isPlanned ? 'running' : status,
      counts: { total, completed: processedRecords - failed, failed, cancelled: 0 },
      ...(completedAt && { completedAt }),
    };
  });
}
