import { hasCode, ifMissing } from '../../core/errors/errors.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { endRun } from '../agent-runs/sweep-runs.ts';
import { batchStore } from '../batches/batch-store.ts';
import { recordEnd, type TaskEnding, taskProgress } from './task-progress.ts';

const error = 'The task was canceled';

/**
 * Cancels a task and its run. A flow in front of its caller ends when its process sees it, within seconds; a step that
 * has begun in the background still finishes. @returns undefined if it had ended before.
 */
export async function cancelTask(scope: Scope, task: A2aTask): Promise<TaskEnding | undefined> {
  const { state } = await taskProgress(scope)(task);
  if (state !== 'working' && state !== 'input-required') return undefined;
  if (task.kind === 'agent') {
    const isEnded = await endRun(scope, task.executionId, { stopReason: 'cancelled', error }).catch(
      ifMissing(true),
    );
    if (!isEnded) return undefined;
  }
  const end = await recordEnd(scope, task, { state: 'canceled', at: scope.now().toISOString(), error });
  if (end.state !== 'canceled') return undefined;
  if (task.batchId) await batchStore(scope).stop(task.batchId, 'cancelled').catch(ifOver);
  return end;
}

function ifOver(failure: unknown): void {
  if (!hasCode(failure, 'CONFLICT') && !hasCode(failure, 'NOT_FOUND')) throw failure;
}
