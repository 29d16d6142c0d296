import {
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { restStatusFor, toRestErrorBody, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { StreamedBody } from '../../platform/http/responses/streamed-body.ts';
import { toA2aError } from './failure.ts';
import { assertParams } from './message-check.ts';
import { createRequestHandler } from './request-handler.ts';
import { type BegunStream, eventsBody, keepAliveJsonBody, readFirst } from './respond.ts';
import type { ServedAgent } from './served-agent.ts';

export type RestOperation =
  | { name: 'send' | 'stream'; body: unknown }
  | { name: 'list'; query: Record<string, unknown> }
  | { name: 'get-extended-card' }
  | { name: 'get'; id: string; historyLength: number | undefined }
  | { name: 'cancel' | 'subscribe' | 'list-receivers'; id: string }
  | { name: 'add-receiver'; id: string; body: unknown }
  | { name: 'get-receiver' | 'remove-receiver'; id: string; receiverId: string };

export interface RestRequest {
  /** The header A2A-Version. */
  version: string | undefined;
  requestId: string;
  /** Aborted when the caller is gone. */
  gone: AbortController;
}

export async function respondToRest(
  operation: RestOperation,
  { version = '1.0', requestId, gone }: RestRequest,
  agent: ServedAgent,
): Promise<StreamedBody> {
  try {
    if (!/^1\.0(\.\d+)?$/.test(version)) {
      throw new VersionNotSupportedError(`This binding has the version 1.0, and not ${version}`);
    }
    return await perform(operation, createRequestHandler(agent, requestId), gone);
  } catch (thrown) {
    const error = toA2aError(thrown, requestId);
    const status = restStatusFor(error);
    return keepAliveJsonBody(toRestErrorBody(error, status), gone, status);
  }
}

async function perform(
  operation: RestOperation,
  requests: A2ARequestHandler,
  gone: AbortController,
): Promise<StreamedBody> {
  const context = new ServerCallContext({ requestedVersion: '1.0' });
  const answer = (task: Promise<Task>) => task.then((found) => keepAliveJsonBody(Task.toJSON(found), gone));
  switch (operation.name) {
    case 'send': {
      const request = parseSendRequest(operation.body);
      const begun = await readFirst(requests.sendMessageStream(request, context));
      return keepAliveJsonBody(readTaskAtEnd(begun, requests, request.configuration?.historyLength), gone);
    }
    case 'stream': {
      const request = parseSendRequest(operation.body);
      return streamEvents(requests.sendMessageStream(request, context), gone);
    }
    case 'get-extended-card':
      return keepAliveJsonBody(
        await requests.getAuthenticatedExtendedAgentCard({ tenant: '' }, context),
        gone,
      );
    case 'subscribe':
      return streamEvents(requests.resubscribe({ tenant: '', id: operation.id }, context), gone);
    case 'get':
      return answer(
        requests.getTask({ tenant: '', id: operation.id, historyLength: operation.historyLength }, context),
      );
    case 'cancel':
      return answer(requests.cancelTask({ tenant: '', id: operation.id, metadata: undefined }, context));
    case 'add-receiver': {
      assertParams('CreateTaskPushNotificationConfig', operation.body);
      const config = TaskPushNotificationConfig.fromJSON(operation.body);
      const added = requests.createTaskPushNotificationConfig({ ...config, taskId: operation.id }, context);
      return keepAliveJsonBody(TaskPushNotificationConfig.toJSON(await added), gone);
    }
    case 'get-receiver': {
      const asked = { tenant: '', taskId: operation.id, id: operation.receiverId };
      const found = await requests.getTaskPushNotificationConfig(asked, context);
      return keepAliveJsonBody(TaskPushNotificationConfig.toJSON(found), gone);
    }
    case 'list-receivers': {
      const asked = { tenant: '', taskId: operation.id, pageSize: 0, pageToken: '' };
      const page = await requests.listTaskPushNotificationConfigs(asked, context);
      return keepAliveJsonBody({ configs: page.configs.map(TaskPushNotificationConfig.toJSON) }, gone);
    }
    case 'remove-receiver': {
      const asked = { tenant: '', taskId: operation.id, id: operation.receiverId };
      await requests.deleteTaskPushNotificationConfig(asked, context);
      return keepAliveJsonBody({}, gone);
    }
    case 'list': {
      const page = await requests.listTasks(ListTasksRequest.fromJSON(operation.query), context);
      const empty = { tasks: [], nextPageToken: '', totalSize: 0 };
      return keepAliveJsonBody({ ...empty, ...(ListTasksResponse.toJSON(page) as object) }, gone);
    }
  }
}

function parseSendRequest(body: unknown): SendMessageRequest {
  assertParams('SendMessage', body);
  return SendMessageRequest.fromJSON(body);
}

async function streamEvents(
  source: AsyncIterable<StreamResponse>,
  gone: AbortController,
): Promise<StreamedBody> {
  const begun = await readFirst(encodeEvents(source));
  return eventsBody(begun, toErrorBody, gone);
}

async function* encodeEvents(source: AsyncIterable<StreamResponse>) {
  for await (const event of source) yield StreamResponse.toJSON(event);
}

const toErrorBody = (error: unknown) => toRestErrorBody(error, restStatusFor(error));

/** The task at the end of its events. Its status is sent before, so that a later error has none. */
async function readTaskAtEnd(
  { first, rest }: BegunStream<StreamResponse>,
  requests: A2ARequestHandler,
  historyLength: number | undefined,
): Promise<unknown> {
  const payload = first.done ? undefined : first.value.payload;
  if (payload?.$case !== 'task') throw new Error('The events of a message do not begin with its task');
  const { id } = payload.value;
  try {
    while (!(await rest.next()).done);
    const context = new ServerCallContext({ requestedVersion: '1.0' });
    return { task: Task.toJSON(await requests.getTask({ tenant: '', id, historyLength }, context)) };
  } catch (error) {
    return toErrorBody(error);
  }
}
