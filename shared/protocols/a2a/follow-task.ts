import { setTimeout as sleep } from 'node:timers/promises';
import type { ServedEvent } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import { type TaskProgress, taskProgress } from '../../execution/a2a-tasks/task-progress.ts';
import { toTaskStatus } from '../../execution/a2a-tasks/task-view.ts';
import { followRun } from '../../execution/agent-runs/follow-run.ts';
import { runLogReader } from '../../execution/agent-runs/run-log.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEvents } from '../run-events/agent-events.ts';
import { pollTask, taskEvents } from './run-events.ts';

const pollMs = 2_000;

/** What happens to a working task from now on: of an agent from the log of its run, of a flow its end. */
export async function* followTask(
  scope: Scope,
  task: A2aTask,
  signal: AbortSignal,
): AsyncGenerator<ServedEvent, void> {
  if (task.kind === 'flow') return yield* pollTask(scope, task, signal);
  const last = await runLogReader(scope).last(task.executionId);
  const events = followRun(scope, task.executionId, last?.lastSeq ?? 0, signal);
  yield* taskEvents(scope, task, agentEvents(events), signal);
}

/** The same until the task has ended, also while it waits. */
export async function* followToEnd(
  scope: Scope,
  task: A2aTask,
  progress: TaskProgress,
  signal: AbortSignal,
): AsyncGenerator<ServedEvent, void> {
  for (let current = progress; isUnfinished(current) && !signal.aborted; ) {
    if (isWaiting(current)) {
      current = await waitForAnswer(scope, task, current, signal);
      if (signal.aborted) return;
      if (isUnfinished(current)) yield { type: 'status', status: toTaskStatus(task, current) };
      else yield* pollTask(scope, task, signal);
      continue;
    }
    yield* followTask(scope, task, signal);
    current = await readProgress(scope, task);
  }
}

const readProgress = async (scope: Scope, task: A2aTask) =>
  taskProgress(scope)(await a2aTaskStore(scope).find(task, task.id));

const isUnfinished = ({ state }: TaskProgress) => state === 'working' || state === 'input-required';
const isWaiting = (progress: TaskProgress) =>
  progress.state === 'input-required' || (progress.state === 'working' && progress.isHeld === true);

async function waitForAnswer(
  scope: Scope,
  task: A2aTask,
  waiting: TaskProgress,
  signal: AbortSignal,
): Promise<TaskProgress> {
  let current = waiting;
  while (isWaiting(current) && !signal.aborted) {
    await sleep(pollMs, undefined, { signal }).catch(() => {});
    current = await readProgress(scope, task);
  }
  return current;
}
