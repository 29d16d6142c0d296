import { AsyncLocalStorage } from 'node:async_hooks';
import { ReadableStream } from 'node:stream/web';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StepError } from '../../core/step-error.ts';
import { fetchFailure } from '../net/fetch-failure.ts';
import { sendableHeaders } from '../net/sendable-headers.ts';
import { isStreamType, streamingFetch } from '../net/streaming-fetch.ts';
import type { McpRequest } from '../ports.ts';

/** Of one response, or one stream. */
const bytesMax = 5_000_000;

/** Of one stream. The SDK takes some 30 µs for each event. */
const linesMax = 20_000;

/** A server can make a client send: each of its requests takes an answer. */
const requestsMax = 50;

/** How long a server may take to end its session. */
const closingMs = 1_000;

const egress = streamingFetch(() => bytesMax, true);

type Send = StreamableHTTPClientTransport['send'];
type Fetch = typeof globalThis.fetch;

/** A response with status 401 or 403. */
export class Unauthorized extends Error {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super('The server asks for authorization');
    this.status = status;
    this.text = text;
  }
}

/** Whether the response to the message that is being sent is a stream. */
const exchange = new AsyncLocalStorage<{ isStream: boolean }>();

/**
 * The SDK's transport, through the egress guard and with limits.
 * @param stop Ends the session with the reason, which the SDK would partly swallow.
 */
export class GuardedTransport extends StreamableHTTPClientTransport {
  constructor(url: URL, { headers }: McpRequest, signal: AbortSignal, stop: (reason: Error) => void) {
    super(url, {
      requestInit: { headers: sendableHeaders(headers) },
      fetch: guardedFetch(signal, stop),
    });
  }

  /**
   * The SDK waits until its time limit if a response ends without an answer to the request, so that it gets an error as
   * answer. It ignores an answer to a request that has one.
   */
  override async send(...[message, options]: Parameters<Send>): Promise<void> {
    const ended = () => {
      if (!Array.isArray(message) && 'method' in message && 'id' in message) {
        const error = { code: -32_000, message: 'No answer', data: noAnswer() };
        this.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
      }
    };
    const state = { isStream: false };
    await exchange.run(state, () => super.send(message, { ...options, onRequestStreamEnd: ended }));
    if (!state.isStream) ended();
  }
}

const noAnswer = () =>
  new StepError('The MCP server ended its response without an answer', { retryable: true });

function guardedFetch(signal: AbortSignal, stop: (reason: Error) => void): Fetch {
  let requests = 0;
  return async (url, init) => {
    const { method, headers } = init ?? {};
    // Without the identifier of an event to resume from, it is the stream for messages that belong to no request.
    if (method === 'GET' && !new Headers(headers).has('last-event-id')) {
      return new Response(null, { status: 405 });
    }
    if (method === 'DELETE') return egress(url, { ...init, signal: AbortSignal.timeout(closingMs) });
    requests += 1;
    try {
      if (requests > requestsMax)
        throw new StepError(`The MCP server causes more than ${requestsMax} requests`);
      const response = await egress(url, { ...init, signal: joinedSignal(signal, init?.signal) });
      return await checked(response, stop);
    } catch (error) {
      // The SDK resumes a stream that broke.
      if (method === 'POST' || error instanceof StepError) stop(fetchFailure(error, String(url)));
      throw error;
    }
  };
}

const joinedSignal = (signal: AbortSignal, more: AbortSignal | null | undefined) =>
  more ? AbortSignal.any([signal, more]) : signal;

async function checked(response: Response, stop: (reason: Error) => void): Promise<Response> {
  const { status, headers, body } = response;
  if (body && isStreamType(headers.get('content-type') ?? '')) {
    const state = exchange.getStore();
    if (state) state.isStream = true;
    return new Response(ReadableStream.from(watched(body, stop)) as never, { status, headers });
  }
  const text = await response.text();
  if (status === 401 || status === 403) stop(new Unauthorized(status, text));
  // Batches, which no current protocol has, could contain any number of messages.
  if (/^\s*\[/.test(text)) throw new StepError('The MCP server answered with a list of messages');
  return new Response(body && text, { status, headers });
}

async function* watched(body: AsyncIterable<Uint8Array>, stop: (reason: Error) => void) {
  let lines = 0;
  try {
    for await (const chunk of body) {
      for (const byte of chunk) if (byte === 10) lines += 1;
      if (lines > linesMax) throw new StepError(`The MCP server streams more than ${linesMax} lines`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof StepError) stop(error);
    throw error;
  }
}
