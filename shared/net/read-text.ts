import type { Response } from 'undici';
import { StepError } from '../flows/step.ts';

const bytesMax = 5_000_000;

/** A response's text, decoded by the charset that it names. @throws StepError when it is too large. */
export async function readText({ body, headers, url }: Response): Promise<string> {
  if (!body) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) throw new StepError(`${url} answers with more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return decoder(headers.get('content-type')).decode(Buffer.concat(chunks));
}

function decoder(contentType: string | null): TextDecoder {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
