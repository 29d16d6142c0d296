import { EventSourceParserStream } from 'eventsource-parser/stream';
import type * as z from 'zod';
import type { apiDocument } from '../shared/platform/http/openapi/openapi.ts';
import type { EndpointResponse, SseResponse } from '../shared/platform/http/responses/response.ts';
import type { endpoints } from './index.ts';

type Declared = (typeof endpoints)[number] | typeof apiDocument;

/** Every route of the registry with its request, response and event types. */
type Calls = {
  [E in Declared as `${E['method']} ${E['path']}`]: {
    request: Part<'params', E['params']> & Part<'query', E['query']> & Part<'body', E['body']> & Common;
    answer: AnswerTo<E['response']>;
    event: E['response'] extends SseResponse ? Output<E['response']['events']> : never;
  };
};

/** An endpoint's method and declared path: `GET /v1/flows/{id}`. */
export type Route = keyof Calls;
/** The arguments of a call: the params, query and body that the endpoint declares. */
export type RequestOf<R extends Route> = Calls[R]['request'];
/** The result of a call: the response body of any declared status. */
export type AnswerOf<R extends Route> = Calls[R]['answer'];
export type EventOf<R extends Route> = Calls[R]['event'];
/** The routes that stream server-sent events. */
export type StreamingRoute = { [R in Route]: [EventOf<R>] extends [never] ? never : R }[Route];

interface Common {
  signal?: AbortSignal;
  /** Of a POST. By default, each call has one of its own, which its retries keep. */
  idempotencyKey?: string;
}

/** One part of a request; absent if the endpoint declares none. */
type Part<Name extends string, Schema> = [Schema] extends [undefined]
  ? unknown
  : object extends Input<Schema>
    ? { [N in Name]?: Sent<Name, Input<Schema>> }
    : { [N in Name]: Sent<Name, Input<Schema>> };
type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** A numeric query parameter may be passed as a number. */
type Sent<Name, Value> = Name extends 'query'
  ? { [K in keyof Value]: string extends Value[K] ? Value[K] | number : Value[K] }
  : Value;

type AnswerTo<R extends EndpointResponse> = R extends { kind: 'redirect' }
  ? string
  : R extends { kind: 'sse' }
    ? Output<R['json']> | (R extends { bodies: infer B } ? AnyOf<B> : never)
    :
        | (R extends { body: infer Body } ? Output<Body> : never)
        | (R extends { bodies: infer B } ? AnyOf<B> : never);
type AnyOf<Bodies> = { [Status in keyof Bodies]: Output<Bodies[Status]> }[keyof Bodies];
type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : never;

type Arguments<R extends Route> =
  object extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>];

/** A response with an error status. `body` is parsed if it is JSON. */
export class ResponseError extends Error {
  readonly status: number;
  readonly body: unknown;
  /** For those who operate the service: their logs have it. */
  readonly requestId: string | undefined;

  constructor(route: string, status: number, body: unknown, requestId?: string | null) {
    super(`${route} failed with status ${status}: ${typeof body === 'string' ? body : JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
    this.requestId = requestId ?? undefined;
  }
}

export interface ClientOptions {
  /**
   * The base URL of the API, with the stage if there is one: `http://127.0.0.1:3000`, `https://….amazonaws.com/dev`.
   */
  baseUrl: string;
  /** An API key or a session token. Public endpoints need none. */
  token?: string;
  fetch?: typeof fetch;
  /**
   * How often a POST is sent again after a network error, a 5xx or a short 429. It has a key, so that what it starts or
   * creates is there once. Default: 2.
   */
  retries?: number;
}

/**
 * A client typed by the endpoints' declarations. It imports only their types, so a bundle that uses it contains none of
 * the service's code. A body that contains a file is sent as a form, any other as JSON.
 *
 * ```ts
 * const { call } = createClient({ baseUrl, token });
 * const flow = await call('GET /v1/flows/{id}', { params: { id } });
 * ```
 */
export function createClient({ baseUrl, token, fetch = globalThis.fetch, retries = 2 }: ClientOptions) {
  async function send(route: string, request: AnyRequest = {}): Promise<Response> {
    const { params = {}, query = {}, body, signal, idempotencyKey = newKey() } = request;
    const [method = '', path = ''] = route.split(' ');
    const url = new URL(baseUrl.replace(/\/$/, '') + filled(path, params));
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const { headers, ...rest } = await encoded(body);
    const isRepeatable = method === 'POST';
    const key = isRepeatable && { 'idempotency-key': idempotencyKey };
    const sent = {
      method,
      headers: { ...headers, ...key, ...(token && { authorization: `Bearer ${token}` }) },
      ...rest,
      ...(signal && { signal }),
    };
    const response = await repeated(() => fetch(url, sent), isRepeatable ? retries : 0, signal);
    if (!response.ok) {
      const requestId = response.headers.get('x-amzn-requestid');
      throw new ResponseError(route, response.status, await read(response), requestId);
    }
    return response;
  }

  return {
    /** @throws ResponseError unless the status is 2xx. */
    async call<R extends Route>(route: R, ...[request]: Arguments<R>): Promise<AnswerOf<R>> {
      return (await read(await send(route, request))) as AnswerOf<R>;
    },

    /**
     * Yields the events of a streaming endpoint. Leaving the loop closes the connection, which cancels the run.
     * @throws ResponseError unless the status is 2xx.
     */
    async *events<R extends StreamingRoute>(
      route: R,
      ...[request]: Arguments<R>
    ): AsyncGenerator<EventOf<R>> {
      const { body } = await send(route, request);
      if (!body) return;
      const frames = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
      for await (const { data } of frames) {
        // Streams in the form of OpenAI end with it.
        if (data !== '[DONE]') yield JSON.parse(data) as EventOf<R>;
      }
    },
  };
}

interface AnyRequest {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  /** JSON, or an object with a file in it. */
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

/** Pages that are served without TLS have no `crypto.randomUUID`. */
const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Sends a request again that may succeed the next time. */
async function repeated(
  send: () => Promise<Response>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const pauseMs = 250 * 2 ** attempt;
    try {
      const response = await send();
      const afterMs = attempt < retries ? await retryAfterMs(response, pauseMs) : undefined;
      if (afterMs === undefined) return response;
      await pause(afterMs, signal);
    } catch (error) {
      // `fetch` reports a network error so.
      if (!(error instanceof TypeError) || attempt >= retries || signal?.aborted) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** Longer waits are up to the caller. */
const waitMsMax = 5_000;

async function retryAfterMs(response: Response, pauseMs: number): Promise<number | undefined> {
  const { status, headers } = response;
  const asked = Number(headers.get('retry-after') ?? 0) * 1_000;
  const isInUse = status === 409 && (await response.clone().text()).includes('"IDEMPOTENCY_KEY_IN_USE"');
  const mayRetry = status >= 500 || isInUse || (status === 429 && asked > 0);
  return mayRetry && asked <= waitMsMax ? Math.max(asked, pauseMs) : undefined;
}

const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

const filled = (path: string, params: Record<string, string>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

interface Encoded {
  headers?: Record<string, string>;
  body?: string | ArrayBuffer;
}

async function encoded(body: AnyRequest['body']): Promise<Encoded> {
  if (body === undefined) return {};
  const members = Object.entries(Object(body)).filter(([, value]) => value !== undefined);
  if (!members.some(([, value]) => value instanceof Blob)) {
    return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }
  const form = new FormData();
  for (const [name, value] of members) form.set(name, value instanceof Blob ? value : String(value));
  // Encoded once: each time, a form has another boundary, and a repetition the same bytes.
  const whole = new Response(form);
  return {
    headers: { 'content-type': whole.headers.get('content-type') ?? '' },
    body: await whole.arrayBuffer(),
  };
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  // Not JSON Lines.
  return /\bjson\b/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text;
}
