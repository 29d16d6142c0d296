import { lookup } from 'node:dns';
import { pipeline, type Transform } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { valueCounter, valuesMax } from '../../core/json/value-count.ts';
import { limitBytes, readAllBytes } from '../../core/limited-fetch.ts';
import { checkUrl } from './addresses.ts';

type Fetch = typeof globalThis.fetch;

/** Changes answers before a library reads them. */
interface AnswerChanges {
  whole: (content: Buffer, url: string, status: number) => { content: Buffer; status: number };
  stream: (chunks: AsyncIterable<Uint8Array>, url: string) => AsyncIterable<Uint8Array>;
}

const unchanged: AnswerChanges = {
  whole: (content, _url, status) => ({ content, status }),
  stream: (chunks) => chunks,
};

/**
 * Needs half the CPU of Node's. Follows no redirects, since the request carries a key. Reading a body beyond the limit
 * throws a StepError. @param guarded Reaches only public addresses. @throws AddressRefused
 */
export const makeStreamingFetch =
  (bytesMax: (isStream: boolean) => number, guarded: boolean, changes = unchanged): Fetch =>
  async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    const dispatcher = guarded ? (await loadClient()).agentFor(checkUrl(String(url))) : undefined;
    const answer = await request(String(url), {
      ...(dispatcher && { dispatcher }),
      method: method as Dispatcher.HttpMethod,
      headers: Object.fromEntries(new Headers(headers)),
      body: body as string,
      ...(signal && { signal }),
    }).catch((cause) => {
      if (cause instanceof StepError) throw cause;
      // The message by which the SDKs recognise a retryable error.
      throw new TypeError('fetch failed', { cause });
    });
    const fields = Object.entries(answer.headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    const isStream = isStreamType(String(answer.headers['content-type']));
    const chunks = limitBytes(decompressBody(answer), bytesMax(isStream));
    const { content, status } = isStream
      ? { content: ReadableStream.from(changes.stream(chunks, String(url))), status: answer.statusCode }
      : changes.whole(await readAllBytes(chunks), String(url), answer.statusCode);
    return new Response(bodiless.has(status) ? null : (content as never), { status, headers: fields });
  };

/** Whether a body of this content type is streamed: server-sent events, and the frames of Bedrock. */
const isStreamType = (contentType: string) =>
  /^(?:text\/event-stream|application\/vnd\.amazon\.eventstream)/i.test(contentType);

const bodiless = new Set([204, 205, 304]);

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Some servers compress although the request does not ask for it. */
function decompressBody({ headers, body }: Dispatcher.ResponseData): AsyncIterable<Buffer> {
  const decoder = decoders[String(headers['content-encoding'])]?.();
  return decoder ? pipeline(body, decoder, () => {}) : body;
}

/** The client that checks the addresses to which names resolve. Loaded when first used, as it is large. */
export const loadClient = loadOnce(async () => {
  const { makeClient } = await import('./client.ts');
  // That of the moment of a request: it may be replaced.
  return makeClient((...lookupArguments) => lookup(...lookupArguments));
});

/** Of one response, or one stream. */
const bytesMax = 5_000_000;

const egress = makeStreamingFetch(() => bytesMax, true);

export interface ExchangeLimits {
  /** Whom an error names. */
  server: string;
  requestsMax: number;
  /** Of one stream. */
  linesMax: number;
  /** Learns of a stream that breaks a limit, besides its reader. */
  onStreamRefused?: (error: StepError) => void;
}

export const isStream = ({ body, headers }: Response) =>
  body !== null && isStreamType(headers.get('content-type') ?? '');

/** @throws StepError if the server causes too many requests; a stream fails with one if it has too many lines. */
export function makeLimitedExchange(limits: ExchangeLimits): Fetch {
  const { server, requestsMax } = limits;
  let requests = 0;
  return async (url, init) => {
    requests += 1;
    if (requests > requestsMax) throw new StepError(`${server} causes more than ${requestsMax} requests`);
    const response = await egress(url, init);
    const { status, headers, body } = response;
    if (!body || !isStream(response)) return limitValues(response, server);
    return new Response(ReadableStream.from(limitLines(body, limits)) as never, { status, headers });
  };
}

/** What reads a message checks all of it, which takes longer than for other JSON. */
async function limitValues(response: Response, server: string): Promise<Response> {
  const { status, headers, body } = response;
  if (!body) return response;
  const bytes = await response.bytes();
  if (valueCounter()(bytes) > valuesMax) throw tooManyValues(server);
  return new Response(bytes as never, { status, headers });
}

const tooManyValues = (server: string) =>
  new StepError(
    `${server} answers with more than ${valuesMax} values, each list and object with what is in it counted`,
  );

async function* limitLines(body: AsyncIterable<Uint8Array>, limits: ExchangeLimits) {
  const { server, linesMax, onStreamRefused } = limits;
  let lines = 0;
  const countValues = valueCounter(true);
  try {
    for await (const chunk of body) {
      for (const byte of chunk) if (byte === 10) lines += 1;
      if (lines > linesMax) throw new StepError(`${server} streams more than ${linesMax} lines`);
      if (countValues(chunk) > valuesMax) throw tooManyValues(server);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof StepError) onStreamRefused?.(error);
    throw error;
  }
}
