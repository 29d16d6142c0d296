/**
 * Follows a task of an A2A surface, and yields what happens to it as events until it ends or waits.
 * `taskEvents` reads the events of a run that this process started; `followTask` reads the log of an agent's run, or
 * polls the task of a flow, whose run has no log; `followToEnd` goes on while the task waits. If a stream of events
 * ends without an end of the run, the task is polled.
 * The end of a run is recorded in the task before it is yielded. Texts of an agent are sent as they come, the last
 * chunk is held back until it can be marked as the last; a flow sends its output only.
 * All of them stop when the signal is aborted, and the task goes on elsewhere. `served-surface.ts` is the caller.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServedEvent } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import { followRun } from '../../execution/agent-runs/follow-run.ts';
import { runLogReader } from '../../execution/agent-runs/run-log.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEvents } from '../run-events/agent-events.ts';
import type { StreamEvent } from '../run-events/stream-event.ts';
import { recordEnd, type TaskEnding, type TaskProgress, taskProgress } from './task-progress.ts';
import { toOutputParts, toTaskStatus } from './task-view.ts';

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

const pollMsMin = 250;
const pollMsMax = 2_000;

/**
 * What happens to a task while its run does. The texts of an agent are parts of the answer as they come; a text that
 * another one follows, such as that of an earlier turn, is replaced by it.
 * @param signal Aborted when nobody reads any more, or this process must end.
 */
export async function* taskEvents(
  scope: Scope,
  task: A2aTask,
  events: AsyncIterable<StreamEvent>,
  signal: AbortSignal,
): AsyncGenerator<ServedEvent, void> {
  const text = openText(task);
  for await (const event of events) {
    if (event.type === 'text_start') text.begin();
    if (event.type === 'text_delta') yield* text.add(event.delta);
    if (event.type === 'await' && task.kind === 'flow') await pauseFlow(scope, task, event);
    const ending = toEnding(event, scope.now());
    if (!ending) continue;
    const end = await recordEnd(scope, task, ending);
    if (end.state === 'completed') yield* text.end(end.output);
    const output = end.state === 'completed' ? toOutputParts(end.output) : [];
    return yield { type: 'status', status: toTaskStatus(task, end), output };
  }
  yield* pollTask(scope, task, signal, text);
}

/** Waits for the end of a run elsewhere, or for a question. */
async function* pollTask(
  scope: Scope,
  task: A2aTask,
  signal: AbortSignal,
  text = openText(task),
): AsyncGenerator<ServedEvent, void> {
  const { find } = a2aTaskStore(scope);
  for (let pauseMs = pollMsMin; !signal.aborted; pauseMs = Math.min(pauseMs * 1.5, pollMsMax)) {
    const progress: TaskProgress = await taskProgress(scope)(await find(task, task.id));
    if (progress.state === 'completed') yield* text.end(progress.output);
    if (progress.state !== 'working' || progress.isHeld)
      return yield { type: 'status', status: toTaskStatus(task, progress) };
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}

type AwaitEvent = Extract<StreamEvent, { type: 'await' }>;

async function pauseFlow(scope: Scope, task: A2aTask, event: AwaitEvent): Promise<void> {
  const { toolCallId: callId, toolName, parameters, batchExecutionId: batchId } = event;
  const awaited = callId && toolName ? { callId, toolName, parameters } : undefined;
  await a2aTaskStore(scope).pause(task, { awaited, batchId });
}

function toEnding(event: StreamEvent, now: Date): TaskEnding | undefined {
  if (event.type === 'execution_error') {
    return { state: 'failed', at: now.toISOString(), error: event.error.message };
  }
  if (event.type !== 'execution_complete') return undefined;
  const { completedAt: at, success, finalOutput, error = null, stopReason } = event;
  if (success) return { state: 'completed', at, output: finalOutput };
  return { state: stopReason === 'cancelled' ? 'canceled' : 'failed', at, error };
}

/** The answer as it grows. The steps of a flow write texts too, which are not its answer. */
function openText({ kind }: A2aTask) {
  let written = '';
  let pending: string | undefined;
  let isNew = true;
  function* flush(isLast: boolean): Generator<ServedEvent> {
    if (pending === undefined) return;
    yield { type: 'output', parts: [{ text: pending }], append: !isNew, isLast };
    pending = undefined;
    isNew = false;
  }
  return {
    begin() {
      [written, pending, isNew] = ['', undefined, true];
    },
    *add(delta: string) {
      if (kind === 'flow' || delta === '') return;
      yield* flush(false);
      written += delta;
      pending = delta;
    },
    /** The last piece has been held back, to be marked as the last. */
    *end(output: unknown): Generator<ServedEvent> {
      if (output === written && pending !== undefined) return yield* flush(true);
      const parts = toOutputParts(output);
      if (parts.length > 0) yield { type: 'output', parts, append: false, isLast: true };
    },
  };
}
