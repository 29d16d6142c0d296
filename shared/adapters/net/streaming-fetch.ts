import { pipeline, type Transform } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { StepError } from '../../core/errors/step-error.ts';
import { limitBytes, readAllBytes } from '../../core/limited-fetch.ts';
import { checkUrl } from './addresses.ts';
import { loadClient } from './load-client.ts';

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
export const isStreamType = (contentType: string) =>
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
