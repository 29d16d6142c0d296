/**
 * The fetch that the MCP SDK gets: limits what a server may send, and repairs responses that the SDK would refuse.
 * `session.ts` creates one for each session and sets `exchange` around each message, from which the fetch knows what is
 * being answered. What ends the whole session is reported through `stop`, because the SDK would swallow part of it: a
 * message that could not be sent, a broken limit and a refused stream, which also throw; and 401 or 403, whose response
 * is returned nevertheless. Other requests that fail only throw, since the SDK resumes a stream that broke.
 * The stream for messages that belong to no request is not opened: such a GET gets 405 without a request.
 * Repaired is only what carries meaning, by method: nulls are dropped, members that nobody knows stay, and content
 * blocks of unknown form become text.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ReadableStream } from 'node:stream/web';
import { isStated } from '../../core/defined.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { markMembers, mayBeInexactIn } from '../../core/json/exact-json.ts';
import { isJsonObject, tryParseJson } from '../../core/json/json.ts';
import { fetchFailure } from '../net/fetch-failure.ts';
import { isStream, makeLimitedExchange } from '../net/limited-exchange.ts';
import { type EventJson, readableEvents } from '../net/readable-events.ts';
import { dropNulls, mendAnswer } from '../rpc-messages.ts';

const limits = {
  server: 'The MCP server',
  // A server can make a client send: each of its requests takes an answer.
  requestsMax: 50,
  // The SDK takes some 30 µs for each event.
  linesMax: 20_000,
};

/** Values of the server, whose numbers keep their digits, marked. */
const exact = new Set(['structuredContent']);

/** How long a server may take to end its session. */
const closingMs = 1_000;

type Fetch = typeof globalThis.fetch;

/** The server answered 401 or 403. */
export class Unauthorized extends Error {
  readonly status: number;
  readonly text: string;
  /** The header WWW-Authenticate. */
  readonly challenge: string | undefined;

  constructor(status: number, text: string, challenge: string | null) {
    super('The server asks for authorization');
    this.status = status;
    this.text = text;
    this.challenge = challenge ?? undefined;
  }
}

/** The message that is being sent: headers of its own, and whether the response is a stream. */
export const exchange = new AsyncLocalStorage<
  AskedMcpRequest & { headers: Record<string, string>; isStream: boolean }
>();

/** @param stop Ends the session with the reason, which the SDK would partly swallow. */
export function makeMcpFetch(signal: AbortSignal, stop: (reason: Error) => void): Fetch {
  const send = makeLimitedExchange({ ...limits, onStreamRefused: stop });
  return async (url, init) => {
    const { method, headers } = init ?? {};
    // Without the identifier of an event to resume from, it is the stream for messages that belong to no request.
    if (method === 'GET' && !new Headers(headers).has('last-event-id')) {
      return new Response(null, { status: 405 });
    }
    // The end of a session, which the count of its requests does not refuse.
    if (method === 'DELETE')
      return makeLimitedExchange(limits)(url, { ...init, signal: AbortSignal.timeout(closingMs) });
    try {
      const allHeaders = new Headers({
        ...exchange.getStore()?.headers,
        ...Object.fromEntries(new Headers(headers)),
      });
      const response = await send(url, {
        ...init,
        headers: allHeaders,
        signal: joinSignals(signal, init?.signal),
      });
      return await checkResponse(response, stop);
    } catch (error) {
      // The SDK resumes a stream that broke.
      if (method === 'POST' || error instanceof StepError) stop(fetchFailure(error, String(url)));
      throw error;
    }
  };
}

const joinSignals = (signal: AbortSignal, more: AbortSignal | null | undefined) =>
  more ? AbortSignal.any([signal, more]) : signal;

async function checkResponse(response: Response, stop: (reason: Error) => void): Promise<Response> {
  const { status, headers, body } = response;
  const state = exchange.getStore();
  const asked: AskedMcpRequest = { ...state };
  if (isStream(response) && body) {
    if (state) state.isStream = true;
    const events = readableEvents(
      body,
      { event: (message) => mendMcpMessage(message, asked) },
      { who: limits.server, exact, keepsEmpty: true },
    );
    return new Response(ReadableStream.from(events) as never, { status, headers });
  }
  const text = await response.text();
  if (status === 401 || status === 403) stop(new Unauthorized(status, text, headers.get('www-authenticate')));
  // Batches, which no current protocol has, could contain any number of messages.
  const message = onlyMessage(tryParseJson(text.replace(/^\ufeff/, '')));
  if (Array.isArray(message)) throw new StepError('The MCP server answered with a list of messages');
  if (status >= 400 || !isJsonObject(message) || message.jsonrpc === undefined) {
    return new Response(body && text, { status, headers });
  }
  mendMcpMessage(message, asked);
  const marked = mayBeInexactIn(text, exact) ? markMembers(message, exact) : message;
  return Response.json(marked, { status, headers: dropBodyHeaders(headers) });
}

const onlyMessage = (value: unknown) => (Array.isArray(value) && value.length === 1 ? value[0] : value);

/** Some servers name another type. */
function dropBodyHeaders(headers: Headers): Headers {
  const copy = new Headers(headers);
  for (const name of ['content-type', 'content-length']) copy.delete(name);
  return copy;
}

/** The request that is being answered. */
interface AskedMcpRequest {
  method?: string | undefined;
  id?: string | number | undefined;
}

/**
 * What MCP servers write otherwise than the protocol says, as the SDK reads it, which refuses a whole answer for one member of
 * another type. What carries meaning is read, and nulls are left out.
 * @returns whether it may have changed
 */
function mendMcpMessage(message: EventJson, asked: AskedMcpRequest): boolean {
  if ('method' in message || !('result' in message || 'error' in message)) return false;
  mendAnswer(message, asked.id);
  if (!isStated(message.error)) delete message.error;
  if (isJsonObject(message.result)) menders[asked.method ?? '']?.(message.result);
  return true;
}

const menders: Record<string, (result: EventJson) => void> = {
  initialize(result) {
    dropNulls(result);
    if (!isJsonObject(result.capabilities)) result.capabilities = {};
    for (const each of [result.capabilities, ...Object.values(result.capabilities as EventJson)]) {
      if (isJsonObject(each)) dropNulls(each);
    }
    const { name, version, ...more } = isJsonObject(result.serverInfo) ? result.serverInfo : {};
    result.serverInfo = { ...more, name: toText(name), version: toText(version) };
  },
  'tools/list'(result) {
    if (typeof result.nextCursor === 'number') result.nextCursor = String(result.nextCursor);
  },
  'tools/call'(result) {
    dropNulls(result);
    const { content = result.toolResult } = result;
    const blocks = Array.isArray(content) ? content : isStated(content) ? [content] : [];
    result.content = blocks.map(mendBlock);
  },
};

/** A block that no client knows is shown to the model as it is. */
function mendBlock(block: unknown): EventJson {
  if (!isJsonObject(block)) return textBlock(block);
  dropNulls(block);
  const { type, text, data, mimeType, resource, uri, name } = block;
  switch (type) {
    case 'text':
      return typeof text === 'string' ? block : { ...block, text: toText(text) };
    case 'image':
    case 'audio':
      if (typeof data !== 'string') return textBlock(block);
      return { ...block, mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream' };
    case 'resource':
      if (!isJsonObject(resource)) return textBlock(block);
      dropNulls(resource);
      return typeof resource.uri === 'string' && (isText(resource.text) || isText(resource.blob))
        ? block
        : textBlock(block);
    case 'resource_link':
      return isText(uri) ? { ...block, name: isText(name) ? name : uri } : textBlock(block);
    default:
      return textBlock(typeof text === 'string' ? text : block);
  }
}

const textBlock = (value: unknown): EventJson => ({ type: 'text', text: toText(value) });

const isText = (value: unknown): value is string => typeof value === 'string';

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : isStated(value) ? JSON.stringify(value) : '';
