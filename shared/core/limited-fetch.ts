import type { ReadableStream as Stream } from 'node:stream/web';
import { StepError } from './step-error.ts';

/** What answers of other people's servers may have where nothing else is said. */
const bytesMaxUsual = 5_000_000;

/** A body, unpacked, that breaks off when it is too long, and ends its connection: a few KB can unpack to any length. */
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

/** All bytes of a response. @throws StepError when there are too many. */
export async function readBytes(
  { body, url }: { body: Stream<Uint8Array> | null; url: string },
  bytesMax = bytesMaxUsual,
): Promise<Uint8Array> {
  return body
    ? Buffer.concat(await Array.fromAsync(limited(body, bytesMax, `${url} answers with`)))
    : new Uint8Array();
}

type Fetch = typeof globalThis.fetch;

/** A fetch for libraries, which read whatever comes. The reading fails with a StepError beyond `bytesMax`. */
export const limitedFetch =
  (bytesMax: number): Fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    const body = limited(response.body as Stream<Uint8Array>, bytesMax, 'the answer has');
    return new Response(body as never, response);
  };
