/**
 * Answers each operation of the A2A protocol for a surface: send, get, list, cancel and follow tasks, and manage push
 * receivers.
 * `open-surface.ts` finds the surface, checks the caller and makes the agent for one request. A message begins a task,
 * or answers one that waits, exactly once per message id: a repeated message gets the task and what happens from then
 * on. A message in an earlier context gets what was said in the finished tasks of that context.
 * Tasks belong to the caller: a key of the surface, or a user with all keys and sessions.
 * Starting and answering tasks is in `start-task.ts` and `answer-task.ts`, their events in `follow-task.ts`, skills in
 * `skills.ts`, their storage in `domain/a2a-tasks`.
 */
import {
  A2aRefusal,
  type IncomingMessage,
  type ServedAgent,
  type ServedCard,
  type ServedEvent,
  type ServedTask,
  type TaskQuery,
} from '../../adapters/a2a-server/served-agent.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { a2aTaskStore, type TaskOwner } from '../../domain/a2a-tasks/task-store.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { answerOnce } from './answer-task.ts';
import { followTask, followToEnd, taskEvents } from './follow-task.ts';
import type { A2aCall } from './parameters.ts';
import { userMessage } from './parameters.ts';
import { itemOfTask, selectItem } from './skills.ts';
import type { StartedTask } from './start-task.ts';
import { startTask } from './start-task.ts';
import { cancelTask, type TaskProgress, taskProgress } from './task-progress.ts';
import { taskReceivers } from './task-receivers.ts';
import { toTaskView } from './task-view.ts';

export function serveSurface(scope: Scope, call: A2aCall, card: ServedCard): ServedAgent {
  const tasks = a2aTaskStore(scope);
  const progressOf = taskProgress(scope);
  const receivers = taskReceivers(scope, call.owner);
  const find = (id: string) => tasks.find(call.owner, id);

  async function view(task: A2aTask, progress?: TaskProgress): Promise<ServedTask> {
    const stands = progress ?? (await progressOf(task));
    return toTaskView(task, stands, await tasks.messagesOf(task));
  }

  async function begin(message: IncomingMessage): Promise<StartedTask> {
    if (message.taskId === undefined) {
      const found = selectItem(call.items, message.skillId);
      const earlier = await contextMessages(scope, call.owner, message.contextId);
      return startTask(scope, call, { found, message, earlier });
    }
    const task = await find(message.taskId);
    if (message.contextId !== undefined && message.contextId !== task.contextId) {
      throw new A2aRefusal('malformed', 'message.contextId is not the context of the task');
    }
    const found = itemOfTask(call.items, task);
    if (message.skillId !== undefined && selectItem(call.items, message.skillId) !== found) {
      throw new A2aRefusal('malformed', 'metadata.skillId is not the skill of the task');
    }
    return answerOnce(scope, call, { found, task, message });
  }

  /** What a repeated message gets: the task, and what happens to it from now on. */
  async function* again(
    task: A2aTask,
    { returnsAtOnce }: IncomingMessage,
  ): AsyncGenerator<ServedEvent, void> {
    const progress = await progressOf(task);
    yield { type: 'task', task: await view(task, progress) };
    if (progress.state === 'working' && !returnsAtOnce) yield* followTask(scope, task, call.signal);
  }

  return {
    card,
    ...receivers,

    async *send(message): AsyncGenerator<ServedEvent, void> {
      assertOutputModes(message.outputModes);
      const { task, events, isRepeated } = await begin(message);
      if (isRepeated) return yield* again(task, message);
      const working = { state: 'working' as const, at: task.updatedAt };
      yield { type: 'task', task: await view(task, working) };
      if (events) yield* taskEvents(scope, task, events, call.signal);
    },

    get: async (id) => view(await find(id)),

    async list(query) {
      const { tasks: found, pagination } = await tasks.list(call.owner, query);
      const shown = await Promise.all(found.map((task) => view(task)));
      return {
        tasks: shown
          .filter((task) => matches(task, query))
          .map((task) => ({ ...task, ...(!query.withOutput && { output: [] }) })),
        nextCursor: pagination.nextCursor ?? undefined,
        total: pagination.totalCount ?? shown.length,
      };
    },

    async cancel(id) {
      const task = await find(id);
      if (!(await cancelTask(scope, task))) {
        throw new A2aRefusal('not-cancelable', 'The task has ended already');
      }
      return view(await find(id));
    },

    async *follow(id): AsyncGenerator<ServedEvent, void> {
      const task = await find(id);
      const progress = await progressOf(task);
      if (progress.state !== 'working' && progress.state !== 'input-required') {
        throw new A2aRefusal('unsupported', `The task is ${progress.state}, and does not change any more`);
      }
      yield { type: 'task', task: await view(task, progress) };
      yield* followToEnd(scope, task, progress, call.signal);
    },
  };
}

const matches = ({ status }: ServedTask, { state, after }: TaskQuery) =>
  (state === undefined || status.state === state) && (!after || Date.parse(status.at) >= after.getTime());

/** @throws A2aRefusal if the caller takes neither texts nor data. */
function assertOutputModes(modes: readonly string[]): void {
  const isTaken =
    modes.length === 0 ||
    modes.some((mode) => /^(text\/(plain|\*)|application\/(json|\*)|\*\/\*|text|data)$/.test(mode));
  if (!isTaken) throw new A2aRefusal('content-type', 'Answers are text/plain or application/json');
}

/** What was said in the finished tasks of a context. A context that the caller has not used is empty. */
async function contextMessages(
  scope: Scope,
  owner: TaskOwner,
  contextId: string | undefined,
): Promise<Message[]> {
  if (contextId === undefined) return [];
  const found = await a2aTaskStore(scope).listByContext(owner, contextId);
  return (await Promise.all(found.map((task) => readMessages(scope, task)))).flat();
}

async function readMessages(scope: Scope, task: A2aTask): Promise<Message[]> {
  const progress = await taskProgress(scope)(task);
  if (progress.state !== 'completed') return [];
  const [first] = await a2aTaskStore(scope).messagesOf(task);
  const { output } = progress;
  const content = typeof output === 'string' ? output : JSON.stringify(output ?? null);
  return [...(first ? [dropFiles(first.parts)] : []), { role: 'assistant', content }];
}

/** Files are sent once: they may be large, and their addresses may have expired. */
function dropFiles(parts: readonly A2aPart[]): Message {
  const kept = parts.filter((part) => 'text' in part || 'data' in part);
  return userMessage(kept.length > 0 ? kept : [{ text: '(A file)' }]);
}
