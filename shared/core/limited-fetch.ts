import type { ReadableStream as Stream } from 'node:stream/web';
import { StepError } from './step-error.ts';

/** The default size limit for responses of external servers. */
const bytesMaxUsual = 5_000_000;

/**
 * Limits a decompressed body: aborts it when it is too long, and closes the connection. A few KB can decompress to any
 * length.
 */
function limited(body: Stream<Uint8Array>, bytesMax: number, what: string): Stream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > bytesMax) throw new StepError(`${what} more than ${bytesMax} bytes`);
        controller.enqueue(chunk);
      },
    }) as never,
  );
}

/** Reads all bytes of a response. @throws StepError if there are too many. */
export async function readBytes(
  { body, url }: { body: Stream<Uint8Array> | null; url: string },
  bytesMax = bytesMaxUsual,
): Promise<Uint8Array> {
  return body
    ? Buffer.concat(await Array.fromAsync(limited(body, bytesMax, `${url} answers with`)))
    : new Uint8Array();
}

type Fetch = typeof globalThis.fetch;

/** A fetch for libraries that read whole responses. Reading more than `bytesMax` fails with a StepError. */
export const limitedFetch =
  (bytesMax: number): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    const body = limited(response.body as Stream<Uint8Array>, bytesMax, 'the response has');
    return new Response(body as never, response);
  };
