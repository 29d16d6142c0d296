import type { Response } from 'undici';
import { StepError } from '../flows/step.ts';

const bytesMaxUsual = 5_000_000;

/** A response's body, unpacked. @throws StepError when it is too large. */
export async function readBytes({ body, url }: Response, bytesMax = bytesMaxUsual): Promise<Uint8Array> {
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new StepError(`${url} answers with more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
