import { createParser } from 'eventsource-parser';
import type { Groups } from './api.ts';
import { ApiError, ConnectionError } from './errors.ts';
import type {
  Arguments,
  OperationEvent,
  OperationId,
  OperationResponse,
  StreamingOperation,
} from './methods.ts';
import { memberName, type Operation } from './operation.ts';
import { operations } from './operations.ts';
import { itemsOfPages, type Page } from './pages.ts';
import type { AnyRequest } from './request.ts';
import { pause } from './retries.ts';
import { contentIn, transport, unlessLost } from './transport.ts';

export type * as Schemas from './api.ts';
export type { ErrorReason } from './errors.ts';
export type {
  Call,
  Iterates,
  OperationEvent,
  OperationId,
  OperationItem,
  OperationRequest,
  OperationResponse,
  PagedOperation,
  RequestSettings,
  StreamingOperation,
  Streams,
} from './methods.ts';
export type { Operation } from './operation.ts';
export { ApiError, ConnectionError, operations };

export interface ClientOptions {
  /** The base URL of the API, with the stage if there is one: `https://….amazonaws.com/dev`. */
  baseUrl: string;
  /** An API key or a session token, or how to get it for each request. Public operations need none. */
  apiKey?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  fetch?: typeof fetch | undefined;
  /** How often a GET, or a POST with its idempotency key, is sent again. Default: 2. */
  retries?: number | undefined;
  /** The longest wait before a retry. If `Retry-After` is longer, the error is thrown. Default: 5,000. */
  retryWaitMsMax?: number | undefined;
  /** Waits between retries. */
  pause?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** A method for each operation, by group and name; `call`, `stream` and `send` take its id. */
export interface Client extends Groups {
  /** As the method of the operation. For code that does not know which one it is. */
  call<Id extends OperationId>(id: Id, ...args: Arguments<Id>): Promise<OperationResponse<Id>>;
  /** As `stream` of the operation. */
  stream<Id extends StreamingOperation>(
    id: Id,
    ...args: Arguments<Id>
  ): AsyncGenerator<OperationEvent<Id>, void, undefined>;
  /** The response itself: for its headers, or to read a large body piece by piece. */
  send<Id extends OperationId>(id: Id, ...args: Arguments<Id>): Promise<Response>;
}

type Method = (request?: AnyRequest) => unknown;
type AnyMethod = Method & { stream?: Method; iterate?: Method };

/**
 * ```ts
 * const client = createClient({ baseUrl, apiKey });
 * const flow = await client.flows.get({ params: { id } });
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const sendRequest = transport({
    baseUrl: options.baseUrl,
    apiKey: async () => (typeof options.apiKey === 'function' ? options.apiKey() : options.apiKey),
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    retries: {
      max: options.retries ?? 2,
      waitMsMax: options.retryWaitMsMax ?? 5_000,
      pause: options.pause ?? pause,
    },
  });

  const send = (id: OperationId, request: AnyRequest = {}) =>
    sendRequest(id, operations[id], request, 'whole');

  async function call(id: OperationId, request: AnyRequest = {}): Promise<unknown> {
    const operation: Operation = operations[id];
    const response = await send(id, request);
    return unlessLost(id, () => (operation.isFile ? response.blob() : contentIn(response)));
  }

  async function* stream(id: OperationId, request: AnyRequest = {}) {
    const { body } = await sendRequest(id, operations[id], request, 'stream');
    if (!body) return;
    const events = eventsIn(body);
    try {
      for (;;) {
        const { done, value } = await unlessLost(id, () => events.next());
        if (done) return;
        yield value;
      }
    } finally {
      await events.return();
    }
  }

  function methodFor(id: OperationId): AnyMethod {
    const operation: Operation = operations[id];
    const { pages } = operation;
    return Object.assign((request?: AnyRequest) => call(id, request), {
      ...(operation.stream && { stream: (request?: AnyRequest) => stream(id, request) }),
      ...(pages && {
        iterate: (request: AnyRequest = {}) =>
          itemsOfPages(pages, (next) => call(id, withQuery(request, next)) as Promise<Page>),
      }),
    });
  }

  return { ...groupsOf(methodFor), call, stream, send } as unknown as Client;
}

const withQuery = ({ query, ...request }: AnyRequest, next: object): AnyRequest => ({
  ...request,
  query: { ...query, ...next },
});

/** A group has the `stream` of its first operation that streams, and the `iterate` of its `list`. */
function groupsOf(methodFor: (id: OperationId) => AnyMethod): Record<string, Record<string, Method>> {
  const groups: Record<string, Record<string, Method>> = {};
  for (const id of Object.keys(operations) as OperationId[]) {
    const [groupName = '', name = ''] = id.split('.').map(memberName);
    const group = groups[groupName] ?? {};
    groups[groupName] = group;
    const method = methodFor(id);
    group[name] = method;
    if (method.stream) group.stream ??= method.stream;
    if (method.iterate && name === 'list') group.iterate = method.iterate;
  }
  return groups;
}

/** The data of each server-sent event, parsed. Leaving the loop closes the connection. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const arrived: unknown[] = [];
  const parser = createParser({
    onEvent({ data }) {
      // Streams in the form of OpenAI end with it.
      if (data !== '[DONE]') arrived.push(JSON.parse(data));
    },
  });
  const decoder = new TextDecoder();
  // Not every browser can iterate over a stream.
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* arrived.splice(0);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
