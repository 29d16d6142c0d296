import {
  A2aRefusal,
  type IncomingMessage,
  type ServedAgent,
  type ServedCard,
  type ServedEvent,
  type ServedSkill,
  type ServedTask,
  type TaskQuery,
} from '../../adapters/a2a-server/served-agent.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import { depthHeader, getCallDepth } from '../../core/agent-depth.ts';
import { requireEnv } from '../../core/environment.ts';
import { notFound } from '../../core/errors/errors.ts';
import { pushConfigStore } from '../../domain/a2a-tasks/push-config-store.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { a2aTaskStore, type TaskOwner } from '../../domain/a2a-tasks/task-store.ts';
import type { Message } from '../../domain/conversations/message.ts';
import {
  assertOpen,
  type ExposedItem,
  type ExposedSurface,
  exposedItems,
  runnableItems,
} from '../../domain/surfaces/exposed-item.ts';
import { cancelTask, type TaskProgress, taskProgress } from '../../execution/a2a-tasks/task-progress.ts';
import { toTaskView } from '../../execution/a2a-tasks/task-view.ts';
import { batchStore } from '../../execution/batches/batch-store.ts';
import { batchStarter } from '../../execution/batches/start-batch.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { runScope } from '../responses/flow-response.ts';
import { surfaceRunScope } from '../surface/start-exposed.ts';
import { answerOnce } from './answer-task.ts';
import { followTask, followToEnd, taskEvents } from './follow-task.ts';
import { type A2aCall, surfaceA2aPath, userMessage } from './parameters.ts';
import { type StartedTask, startTask } from './start-task.ts';
import { taskReceivers } from './task-receivers.ts';

function serveSurface(scope: Scope, call: A2aCall, card: ServedCard): ServedAgent {
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

/** All uses, because the flow or the agent decides which services a run calls. */
export const a2aScope = /* @__PURE__ */ using(
  [
    surfaceRunScope,
    runScope,
    a2aTaskStore,
    taskProgress,
    pushConfigStore,
    batchStarter,
    batchStore,
    'credentials' as const,
  ],
  (all: Scope) => all,
);

/** Reserved to hand a run over, and to tell the caller. */
const reserveMs = 8_000;

export interface A2aSurfaceRequest {
  params: { id: string; surfaceId: string };
  principal: Principal;
  header: (name: string) => string | undefined;
  timeLeftMs: () => number;
  requestId: string;
  baseUrl: () => string;
}

/** `gone`: to be aborted when the caller is. @throws 403, 404; 422 if agents call each other too deeply. */
export async function openSurface(
  scope: Scope,
  { params, principal, header, timeLeftMs, requestId, baseUrl }: A2aSurfaceRequest,
): Promise<{ agent: ServedAgent; gone: AbortController }> {
  const whole = await exposedItems(scope).findSurface(params.id, params.surfaceId);
  if (whole.surface.type !== 'a2a') throw notFound('A2A agent');
  assertOpen(whole.surface, principal);
  const gone = new AbortController();
  const left = timeLeftMs();
  const call = {
    principal,
    requestId,
    timeLeftMs: left,
    depth: getCallDepth(header(depthHeader)),
    owner: { surfaceId: whole.surface.id, caller: toCaller(principal) },
    items: runnableItems(whole.exposed, principal),
    signal: AbortSignal.any([gone.signal, AbortSignal.timeout(Math.max(1, left - reserveMs))]),
  };
  return { agent: serveSurface(scope, call, toServedCard(whole, baseUrl())), gone };
}

/** Users share their tasks between their keys and sessions. */
const toCaller = ({ kind, keyId, userId }: Principal) => (kind === 'surface' && keyId ? keyId : userId);

export const toServedCard = ({ surface, product, exposed }: ExposedSurface, baseUrl: string): ServedCard => ({
  name: surface.name,
  description: product.description ?? product.name,
  version: String(surface.revision),
  url: baseUrl + surfaceA2aPath({ id: surface.productId, surfaceId: surface.id }),
  oidcIssuer: requireEnv('OIDC_ISSUER'),
  skills: exposed.map(toServedSkill),
});

const toSkillId = ({ item }: ExposedItem) => item.endpointSlug ?? item.id;

/** An item as a skill. Its description names its parameters: skills have no member for them. */
function toServedSkill(exposed: ExposedItem): ServedSkill {
  const { item, capability } = exposed;
  const description = item.exposedDescription ?? capability.capabilityDescription ?? '';
  const { properties = {}, required = [] } = (capability.parametersSchema ?? {}) as {
    properties?: Record<string, unknown>;
    required?: string[];
  };
  const names = Object.keys(properties).map((name) =>
    required.includes(name) ? name : `${name} (optional)`,
  );
  const isText = names.length === 0 || (names.length === 1 && names[0] === 'message');
  return {
    id: toSkillId(exposed),
    name: item.exposedName ?? capability.capabilityName,
    description: [description, isText ? '' : `Parameters: ${names.join(', ')}`].filter(Boolean).join('\n'),
    tags: [capability.agentId === null ? 'flow' : 'agent'],
  };
}

/** The item that a message is for: the skill that it names, or the entry point, or the only one (D211). @throws A2aRefusal */
function selectItem(items: readonly ExposedItem[], skillId: string | undefined): ExposedItem {
  const named = items.find((each) => toSkillId(each) === skillId);
  if (named) return named;
  const entry = items.find(({ item }) => item.isEntryPoint) ?? (items.length === 1 ? items[0] : undefined);
  if (entry && skillId === undefined) return entry;
  const ids = items.map(toSkillId).join(', ') || 'none';
  const what = skillId === undefined ? 'Name a skill in message.metadata.skillId' : 'There is no such skill';
  throw new A2aRefusal('malformed', `${what}. The skills are: ${ids}`);
}

/** The item of a task, which may have been disabled since. @throws A2aRefusal */
function itemOfTask(items: readonly ExposedItem[], { itemId }: A2aTask): ExposedItem {
  const found = items.find(({ item }) => item.id === itemId);
  if (found) return found;
  throw new A2aRefusal('unsupported', 'The skill of the task is not offered any more');
}
