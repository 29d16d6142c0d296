import { LeaseLost, startRenewal } from '../../core/concurrency/renewal.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import type { Scope } from '../../platform/data/scope.ts';

const lookEveryMs = 1_000;
/** How long a task whose process has crashed still seems to work (D208). */
const leaseMs = 60_000;
/** So that two extensions may fail. */
const extendEveryMs = 20_000;

/** Until when the process lives that runs the flow of a task, unless it extends that. */
export const leaseEnd = ({ now }: Pick<Scope, 'now'>) => new Date(now().getTime() + leaseMs).toISOString();

/** Extends the lease until the task is canceled. The run does not end with its caller, who may come back and follow it. */
export async function* renewWhileOpen<E>(
  scope: Scope,
  task: A2aTask,
  events: (signal: AbortSignal) => AsyncIterable<E>,
): AsyncGenerator<E, void> {
  const { find, extendLease } = a2aTaskStore(scope);
  let extendedAt = scope.now().getTime();
  async function look(): Promise<void> {
    const at = scope.now().getTime();
    const isDue = at - extendedAt >= extendEveryMs;
    if (isDue) extendedAt = at;
    // A task that waits for its caller or for a batch has no lease to extend.
    const current = (isDue && (await extendLease(task, leaseEnd(scope)))) || (await find(task, task.id));
    if (current.status !== 'open') throw new LeaseLost();
  }
  const failure = 'A task could not be read';
  const { lost, stop } = startRenewal(look, { everyMs: lookEveryMs, failure, about: { taskId: task.id } });
  try {
    yield* events(lost);
  } finally {
    stop();
  }
}
