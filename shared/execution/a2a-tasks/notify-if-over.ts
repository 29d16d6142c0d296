import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { notifyTaskEnd } from '../../domain/a2a-tasks/task-notice.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { taskProgress } from './task-progress.ts';

/** Tells the receivers of a task that ended before or while they were added: its end may not have seen them. */
export async function notifyIfOver(scope: Scope, task: A2aTask): Promise<void> {
  const { state } = await taskProgress(scope)(task);
  if (state !== 'working' && state !== 'input-required') await notifyTaskEnd(scope, task);
}
