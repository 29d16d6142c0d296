import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { StepError } from '../../core/step-error.ts';

/** The longest text that a model may answer, as long as what a script or a template may make. */
export const responseCharactersMax = 4_000_000;

/** Streamed, every few characters come in some 300 bytes of JSON, which are not kept. */
const bytesMax = { whole: 10_000_000, streamed: 50_000_000 };

type Fetch = typeof globalThis.fetch;

/**
 * A fetch for the SDKs of providers, at half the CPU of Node's. It follows no redirects, since the request carries a
 * key. The reading of a body fails with a StepError beyond so many bytes.
 */
const providerFetch =
  (bytesMaxOf: (isStream: boolean) => number): Fetch =>
  async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    const answer = await request(String(url), {
      method: method as Dispatcher.HttpMethod,
      headers: Object.fromEntries(new Headers(headers)),
      body: body as string,
      ...(signal && { signal }),
    }).catch((cause) => {
      // The words by which the SDKs know that they may try again.
      throw new TypeError('fetch failed', { cause });
    });
    const fields = Object.entries(answer.headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
    const chunks = limited(unpacked(answer), bytesMaxOf(isStream));
    const content = isStream
      ? Readable.toWeb(Readable.from(chunks))
      : Buffer.concat(await Array.fromAsync(chunks));
    return new Response(bodiless.has(answer.statusCode) ? null : (content as never), {
      status: answer.statusCode,
      headers: fields,
    });
  };

const bodiless = new Set([204, 205, 304]);

/** A few KB can unpack to any length, so what is unpacked is what counts. */
async function* limited(body: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new StepError(`the answer has more than ${bytesMax} bytes`);
    yield chunk;
  }
}

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** None is asked for; some servers pack all the same. */
function unpacked({ headers, body }: Dispatcher.ResponseData): AsyncIterable<Buffer> {
  const decoder = decoders[String(headers['content-encoding'])]?.();
  return decoder ? pipeline(body, decoder, () => {}) : body;
}

/** How providers of language models are called. */
export const modelFetch = providerFetch((isStream) => (isStream ? bytesMax.streamed : bytesMax.whole));

/** How providers of embeddings are called: 500 texts may make vectors of 4,096 numbers. */
export const embeddingFetch = providerFetch(() => 50_000_000);
