import { addAbortSignal, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Response } from 'undici';
import { joinedBytes, limited } from '../../core/limited-fetch.ts';

/** Short bodies follow their head at once. */
const readMsMax = 2_000;

/** A short body. Undefined if it is longer than `bytesMax`, takes long or breaks off. */
export async function readShort({ body }: Response, bytesMax: number): Promise<Uint8Array | undefined> {
  if (!body) return new Uint8Array();
  const stream = Readable.fromWeb(body as ReadableStream);
  addAbortSignal(AbortSignal.timeout(readMsMax), stream);
  return joinedBytes(limited(stream, bytesMax)).catch(() => undefined);
}
