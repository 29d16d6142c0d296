/**
 * Checks the requests of A2A callers and maps them to a `ServedAgent`, for the transports of the SDK.
 * Every method checks its parameters before it calls the agent, and maps each error to one of the protocol. A message
 * without a stream runs until the agent's events end, and then the task is read again, unless they say how it has ended.
 * `respond.ts` (JSON-RPC) and `respond-rest.ts` (HTTP+JSON) create one for each request; `to-wire.ts` converts tasks and
 * events; the agent itself is in `protocols/a2a/served-surface.ts`.
 */
import {
  type ListTasksRequest,
  type Message,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ExtendedAgentCardNotConfiguredError,
  RequestMalformedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { ServiceError } from '../../core/errors/errors.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import { a2aParts } from '../a2a-client/parts.ts';
import { toAgentCard } from './card.ts';
import { toA2aError } from './failure.ts';
import {
  A2aRefusal,
  type IncomingMessage,
  type PushReceiver,
  type ServedAgent,
  type ServedTask,
  type ShownReceiver,
} from './served-agent.ts';
import { toStreamResponse, toTask, toTaskState } from './to-wire.ts';

const pageSizeDefault = 50;
const pageSizeMax = 100;
const partsMax = 100;
const idCharactersMax = 256;
const noExtendedCard = 'The agent has no extended card: its card shows all to everybody';
/** Callers may leave it away. */
const sayable: ReadonlySet<Role> = new Set([Role.ROLE_USER, Role.ROLE_UNSPECIFIED]);

/** A served agent as the SDK's transports take it. */
export function createRequestHandler(
  agent: ServedAgent,
  requestId: string,
  version: PushReceiver['version'] = '1.0',
): A2ARequestHandler {
  const mapErrors = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toA2aError(error, requestId);
    }
  };

  async function* events(
    source: () => ReturnType<ServedAgent['send']>,
    historyLength?: number,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    let task: ServedTask | undefined;
    try {
      for await (const event of source()) {
        if (event.type === 'task') task = event.task;
        if (task) yield toStreamResponse(event, task, historyLength);
      }
    } catch (error) {
      throw toA2aError(error, requestId);
    }
  }

  return {
    getAgentCard: async () => toAgentCard(agent.card),
    getAuthenticatedExtendedAgentCard: async () => {
      // The card says that there is none. 0.3 has an error for that, 1.0 none of its own.
      if (version === '0.3') throw new ExtendedAgentCardNotConfiguredError(noExtendedCard);
      throw new UnsupportedOperationError(noExtendedCard);
    },

    sendMessage: (request) =>
      mapErrors(async () => {
        const message = parseMessage(request, version);
        let task: ServedTask | undefined;
        let isWhole = false;
        for await (const event of agent.send(message)) {
          if (event.type === 'task') task = event.task;
          const { output } = event.type === 'status' ? event : {};
          isWhole = output !== undefined;
          if (task && event.type === 'status' && output) task = { ...task, status: event.status, output };
        }
        const ended = isWhole && task ? task : await agent.get(task?.id ?? '');
        return toTask(ended, parseHistoryLength(request.configuration?.historyLength));
      }),

    async *sendMessageStream(request) {
      const message = await mapErrors(async () => parseMessage(request, version));
      yield* events(() => agent.send(message), parseHistoryLength(request.configuration?.historyLength));
    },

    getTask: ({ id, historyLength }) =>
      mapErrors(async (): Promise<Task> => {
        const length = parseHistoryLength(historyLength);
        return toTask(await agent.get(id), length);
      }),

    cancelTask: ({ id }) => mapErrors(async () => toTask(await agent.cancel(id))),

    resubscribe: ({ id }) => events(() => agent.follow(id)),

    listTasks: (request) =>
      mapErrors(async () => {
        const pageSize = parsePageSize(request);
        const state = toTaskState(request.status);
        if (request.status !== 0 && !state) throw new RequestMalformedError('status is no state of tasks');
        const {
          tasks,
          nextCursor = '',
          total,
        } = await agent
          .list({
            contextId: request.contextId || undefined,
            state,
            after: parseTime(request.statusTimestampAfter),
            limit: pageSize,
            cursor: request.pageToken || undefined,
            withOutput: request.includeArtifacts ?? false,
          })
          .catch(refusePage);
        const historyLength = parseHistoryLength(request.historyLength) ?? 0;
        return {
          tasks: tasks.map((task) => toTask(task, historyLength)),
          nextPageToken: nextCursor,
          pageSize,
          totalSize: total,
        };
      }),

    ...receiverMethods(agent, mapErrors, version),
  };
}

function refusePage(error: unknown): never {
  const isOfPage = error instanceof ServiceError && error.details.some(({ path }) => path === 'cursor');
  throw isOfPage ? new RequestMalformedError('pageToken: not a token of this list') : error;
}

function parseMessage(
  { message, configuration, metadata }: SendMessageRequest,
  version: PushReceiver['version'],
): IncomingMessage {
  if (!message) throw new RequestMalformedError('message is required');
  const { messageId, taskId, contextId } = message;
  if (messageId === '') throw new RequestMalformedError('message.messageId is required');
  for (const [name, value] of Object.entries({ messageId, taskId, contextId })) {
    if (!wellFormed(value)) throw new RequestMalformedError(`message.${name}: ${wellFormedOnly}`);
    if (value.length <= idCharactersMax) continue;
    throw new RequestMalformedError(`message.${name} has more than ${idCharactersMax} characters`);
  }
  if (!sayable.has(message.role)) throw new RequestMalformedError('message.role must be ROLE_USER');
  const isTooDeep = message.parts.some(
    ({ content }) => content?.$case === 'data' && isDeeperThan(nestingLevelsMax, content.value),
  );
  if (isTooDeep)
    throw new RequestMalformedError(`message.parts: nested more than ${nestingLevelsMax} levels deep`);
  const parts = a2aParts(message.parts);
  if (parts.length === 0)
    throw new RequestMalformedError('message.parts needs at least one part with content');
  if (parts.length > partsMax)
    throw new RequestMalformedError(`message.parts has more than ${partsMax} parts`);
  const push = configuration?.taskPushNotificationConfig;
  return {
    id: messageId,
    parts,
    taskId: taskId || undefined,
    contextId: contextId || undefined,
    skillId: parseSkillId(message, metadata),
    outputModes: configuration?.acceptedOutputModes ?? [],
    returnsAtOnce: configuration?.returnImmediately ?? false,
    push: push && toReceiver(push, version),
  };
}

/** The protocol has no member for it. */
function parseSkillId(message: Message, metadata: SendMessageRequest['metadata']): string | undefined {
  const skillId: unknown = message.metadata?.skillId ?? metadata?.skillId;
  if (skillId === undefined || typeof skillId === 'string') return skillId;
  throw new A2aRefusal('malformed', 'metadata.skillId must be a string');
}

function parseHistoryLength(historyLength: number | undefined): number | undefined {
  if (historyLength === undefined) return undefined;
  if (Number.isInteger(historyLength) && historyLength >= 0) return historyLength;
  throw new RequestMalformedError('historyLength must be a whole number from 0 on');
}

function parsePageSize({ pageSize = pageSizeDefault }: ListTasksRequest): number {
  if (Number.isInteger(pageSize) && pageSize >= 1 && pageSize <= pageSizeMax) return pageSize;
  throw new RequestMalformedError(`pageSize must be a whole number from 1 to ${pageSizeMax}`);
}

function parseTime(text: string | undefined): Date | undefined {
  if (!text) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new RequestMalformedError('statusTimestampAfter must be a time in ISO 8601');
}

type Guarded = <T>(work: () => Promise<T>) => Promise<T>;
type Methods = Pick<
  A2ARequestHandler,
  | 'createTaskPushNotificationConfig'
  | 'getTaskPushNotificationConfig'
  | 'listTaskPushNotificationConfigs'
  | 'deleteTaskPushNotificationConfig'
>;

const toReceiver = (
  { id, url, token, authentication }: TaskPushNotificationConfig,
  version: PushReceiver['version'],
): PushReceiver => ({ id, url: url ?? '', token, authentication, version });

/** Leaves out the secrets, which only the receiver gets. */
const toReceiverConfig = (
  taskId: string,
  { id, url, scheme }: ShownReceiver,
): TaskPushNotificationConfig => ({
  tenant: '',
  id,
  taskId,
  url,
  token: '',
  authentication: scheme === null ? undefined : { scheme, credentials: '' },
});

/** The operations on the push notification configs of a task. In 0.3 one without an id has that of its task. */
const receiverMethods = (
  agent: ServedAgent,
  guarded: Guarded,
  version: PushReceiver['version'],
): Methods => ({
  createTaskPushNotificationConfig: (config) =>
    guarded(async () =>
      toReceiverConfig(config.taskId, await agent.addReceiver(config.taskId, toReceiver(config, version))),
    ),
  getTaskPushNotificationConfig: ({ taskId, id }) =>
    guarded(async () => toReceiverConfig(taskId, await agent.receiver(taskId, id || taskId))),
  listTaskPushNotificationConfigs: ({ taskId }) =>
    guarded(async () => {
      const all = await agent.receivers(taskId);
      return { configs: all.map((receiver) => toReceiverConfig(taskId, receiver)), nextPageToken: '' };
    }),
  deleteTaskPushNotificationConfig: ({ taskId, id }) => guarded(() => agent.removeReceiver(taskId, id)),
});
