import { lookup } from 'node:dns';
import { pipeline, type Transform } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { joined, limited } from '../../core/limited-fetch.ts';
import { loadOnce } from '../../core/load-once.ts';
import { StepError } from '../../core/step-error.ts';
import { checkedUrl } from '../net/checked-url.ts';

/** The longest text of a response, equal to the limit for scripts and templates. */
export const responseCharactersMax = 4_000_000;

/** A streamed response has some 300 bytes of JSON for every few characters. */
const bytesMax = { whole: 10_000_000, streamed: 50_000_000 };

type Fetch = typeof globalThis.fetch;

/** What a fetch is for. 500 texts may have vectors of 4,096 numbers. */
export type Kind = keyof typeof bytesMaxOf;
const bytesMaxOf = {
  model: (isStream: boolean) => (isStream ? bytesMax.streamed : bytesMax.whole),
  embedding: () => 50_000_000,
};

/**
 * A fetch for provider SDKs that needs half the CPU of Node's. Follows no redirects, since the request carries a key.
 * Reading a body beyond the limit throws a StepError.
 * @param guarded Reaches only public addresses. @throws AddressRefused
 */
export const fetchFor =
  (kind: Kind, guarded: boolean): Fetch =>
  async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    const dispatcher = guarded ? (await loadClient()).agentFor(checkedUrl(String(url))) : undefined;
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
    const isStream = streams.test(String(answer.headers['content-type']));
    const chunks = limited(unpacked(answer), bytesMaxOf[kind](isStream));
    const content = isStream ? ReadableStream.from(chunks) : await joined(chunks);
    return new Response(bodiless.has(answer.statusCode) ? null : (content as never), {
      status: answer.statusCode,
      headers: fields,
    });
  };

const loadClient = loadOnce(async () => (await import('../net/client.ts')).makeClient(lookup));

/** Server-sent events, and the frames of Bedrock. */
const streams = /^(?:text\/event-stream|application\/vnd\.amazon\.eventstream)/;

const bodiless = new Set([204, 205, 304]);

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Some servers compress although the request does not ask for it. */
function unpacked({ headers, body }: Dispatcher.ResponseData): AsyncIterable<Buffer> {
  const decoder = decoders[String(headers['content-encoding'])]?.();
  return decoder ? pipeline(body, decoder, () => {}) : body;
}
