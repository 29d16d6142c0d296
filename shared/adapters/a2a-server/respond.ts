/**
 * Responds to JSON-RPC requests of A2A 1.0 and 0.3.
 * Order: find the version, check the envelope and the parameters, then let the SDK call the request handler. A stream begins
 * only after its first event, so whatever refuses a message is a plain JSON response; later errors are its last event.
 * White space or pings keep the connection open. When the client leaves, `gone` is aborted and the events are closed.
 * `functions/surface-a2a` calls it; `respond-rest.ts` shares the bodies for the HTTP+JSON binding.
 */
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import {
  eventStreamType,
  pingComment,
  serverSentEvent,
} from '../../platform/http/responses/server-sent-events.ts';
import { pingEveryMs, type StreamedBody, streamBody } from '../../platform/http/responses/streamed-body.ts';
import { internalWords, toA2aError } from './failure.ts';
import { assertParams } from './message-check.ts';
import { createRequestHandler } from './request-handler.ts';
import type { ServedAgent } from './served-agent.ts';

export interface RpcRequest {
  message: { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: unknown };
  /** The header A2A-Version. */
  version: string | undefined;
  requestId: string;
  /** Aborted when the caller is gone. */
  gone: AbortController;
}

/** A response begins with the first event of a task, so that what refuses a message is never streamed. */
export async function respondToRpc(
  { message, version: versionHeader, requestId, gone }: RpcRequest,
  agent: ServedAgent,
): Promise<StreamedBody> {
  // An empty header means 0.3, says the specification.
  const version = versionHeader === '' ? '0.3' : versionHeader;
  const context = new ServerCallContext({ requestedVersion: version ?? '' });
  const method = String(message.method ?? '');
  // Without the header, the method tells: those of 0.3 have a slash.
  const isOld = version === undefined ? method.includes('/') : version.startsWith('0.');
  const requests = createRequestHandler(agent, requestId, isOld ? '0.3' : '1.0');
  const protocol = selectProtocol(isOld, version, requests);
  const id = message.id ?? null;
  const toFailure = (error: unknown) => ({
    jsonrpc: '2.0',
    id,
    error: protocol.errorOf(toA2aError(error, requestId)),
  });
  if (protocol.refusal) return keepAliveJsonBody(toFailure(protocol.refusal), gone);
  const problem = requestProblem(message);
  if (problem) return keepAliveJsonBody({ jsonrpc: '2.0', id: isId(id) ? id : null, error: problem }, gone);
  try {
    assertParams(method, message.params ?? {});
  } catch (error) {
    return keepAliveJsonBody(toFailure(error), gone);
  }
  const answer = protocol.handler
    .handle({ ...message, id: replaceBigint(id) } as Record<string, unknown>, context)
    .then((response) => hideReason(response, requestId));
  const restoreId = <T extends object>(response: T): T =>
    typeof id === 'bigint' ? { ...response, id } : response;
  if (!streamingMethods.has(method)) return keepAliveJsonBody(answer.then(restoreId), gone);
  const events = await answer;
  if (!(Symbol.asyncIterator in events)) return keepAliveJsonBody(restoreId(events), gone);
  const first = await readFirst(mapEvents(events, restoreId)).catch(toFailure);
  if (!('rest' in first)) return keepAliveJsonBody(first, gone);
  return eventsBody(first, toFailure, gone);
}

const isId = (id: unknown) => id === null || ['string', 'bigint'].includes(typeof id) || Number.isInteger(id);

/** The SDK takes ids that are texts or doubles. Its responses get the id of the request. */
const replaceBigint = (id: unknown) => (typeof id === 'bigint' ? 0 : id);

async function* mapEvents<T extends object>(events: AsyncIterable<T>, change: (event: T) => T) {
  for await (const event of events) yield change(event);
}

/** Why a message is no request of JSON-RPC. The SDK has the code of invalid parameters for some of these. */
function requestProblem({ jsonrpc, method, id = null }: RpcRequest['message']) {
  const problem =
    jsonrpc !== '2.0' || typeof method !== 'string' || method === ''
      ? 'Expected jsonrpc "2.0", and a method that is a string'
      : isId(id)
        ? undefined
        : 'Expected an id that is a string, a whole number or null';
  return problem === undefined ? undefined : { code: -32_600, message: problem };
}

/** The methods that run something, and those that follow a task, in both versions. */
export const sendingMethods: ReadonlySet<unknown> = new Set([
  'SendMessage',
  'SendStreamingMessage',
  'message/send',
  'message/stream',
]);
export const followingMethods: ReadonlySet<unknown> = new Set(['SubscribeToTask', 'tasks/resubscribe']);
const streamingMethods: ReadonlySet<unknown> = new Set([
  'SendStreamingMessage',
  'message/stream',
  ...followingMethods,
]);

/** An error that the SDK throws itself has the code of internal errors, and the words of JavaScript. */
function hideReason<T extends object>(reply: T, requestId: string): T {
  const { error } = reply as { error?: { code: number; message: string } };
  const words = internalWords(requestId);
  if (error?.code !== -32_603 || error.message === words) return reply;
  return { ...reply, error: { ...error, message: toA2aError(new Error(error.message), requestId).message } };
}

function selectProtocol(isOld: boolean, version: string | undefined, requests: A2ARequestHandler) {
  const isKnown = version === undefined || /^(1\.0|0\.3)(\.\d+)?$/.test(version);
  const refusal = isKnown
    ? undefined
    : new VersionNotSupportedError(`The version ${version} is not supported; 1.0 and 0.3 are`);
  return isOld
    ? {
        handler: new LegacyJsonRpcTransportHandler(requests),
        errorOf: LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError,
        refusal,
      }
    : {
        handler: new JsonRpcTransportHandler(requests),
        errorOf: JsonRpcTransportHandler.mapToJSONRPCError,
        refusal,
      };
}

/** A body that may take long: white space in front of JSON keeps the connection open. */
export const keepAliveJsonBody = (value: unknown, gone: AbortController, statusCode = 200): StreamedBody => ({
  statusCode,
  ...streamBody({
    contentType: 'application/json',
    keepAlive: ' ',
    writeBody: async (write, signal) => {
      signal.addEventListener('abort', () => gone.abort(signal.reason), { once: true });
      await write(JSON.stringify(await value));
    },
  }),
});

export interface BegunStream<T> {
  first: IteratorResult<T, void>;
  rest: AsyncIterator<T, void>;
}

/** @throws what the source throws instead of its first event. */
export async function readFirst<T>(source: AsyncIterable<T>): Promise<BegunStream<T>> {
  const rest = source[Symbol.asyncIterator]() as AsyncIterator<T, void>;
  return { first: await rest.next(), rest };
}

/** @param errorOf The last event, if the source fails. */
export const eventsBody = <T>(
  { first, rest }: BegunStream<T>,
  errorOf: (error: unknown) => unknown,
  gone: AbortController,
): StreamedBody =>
  streamBody({
    contentType: eventStreamType,
    async writeBody(write, signal) {
      signal.addEventListener('abort', () => gone.abort(signal.reason), { once: true });
      const ping = setInterval(() => void write(pingComment), pingEveryMs);
      const send = (data: unknown) => write(serverSentEvent({ data }));
      try {
        for (let next = first; !next.done; next = await rest.next()) await send(next.value);
      } catch (error) {
        await send(errorOf(error));
      } finally {
        clearInterval(ping);
        await rest.return?.();
      }
    },
  });
