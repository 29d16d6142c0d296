import { addAbortSignal, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Response } from 'undici';
import { StepError } from '../../core/errors/step-error.ts';
import { limitBytes, readAllBytes } from '../../core/limited-fetch.ts';
import type { HttpRequest } from '../ports/http-port.ts';
import { checkUrl } from './addresses.ts';
import { fetchFailure, slowServer } from './fetch-failure.ts';
import { loadClient } from './load-client.ts';
import { sendableHeaders } from './sendable-headers.ts';

interface PostRequest extends Pick<HttpRequest, 'url' | 'headers' | 'timeoutMs'> {
  body: string | Uint8Array<ArrayBuffer>;
  /** Only for addresses that the operator has set: it may be a private one. */
  isOperators?: boolean;
  /** Reads the body of a 2xx response if it is not longer. Default: none is read. */
  bodyBytesMax?: number;
}

export interface PostAnswer {
  status: number;
  /** The header `Retry-After`. */
  retryAfter: string | null;
  /** Undefined unless it was read as a whole. */
  body?: Uint8Array | undefined;
}

/** Follows no redirects. Whatever becomes of the body, the status holds. @throws StepError, UrlRefused for a bad address */
export async function postOnly(request: PostRequest): Promise<PostAnswer> {
  const { url: address, headers, body, timeoutMs, isOperators = false, bodyBytesMax } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const url = isOperators ? new URL(address) : checkUrl(address);
    const { agentFor, open, fetch } = await loadClient();
    const response = await fetch(url, {
      method: 'POST',
      headers: sendableHeaders(headers),
      body,
      redirect: 'manual',
      signal: timeout,
      dispatcher: isOperators ? open : agentFor(url),
    });
    const answer = { status: response.status, retryAfter: response.headers.get('retry-after') };
    if (response.ok && bodyBytesMax) return { ...answer, body: await readShort(response, bodyBytesMax) };
    await response.body?.cancel();
    return answer;
  } catch (error) {
    if (error instanceof StepError) throw error;
    if (timeout.aborted) throw slowServer(request);
    throw fetchFailure(error, address);
  }
}

/** Short bodies follow their head at once. */
const readMsMax = 2_000;

/** A short body. Undefined if it is longer than `bytesMax`, takes long or breaks off. */
async function readShort({ body }: Response, bytesMax: number): Promise<Uint8Array | undefined> {
  if (!body) return new Uint8Array();
  const stream = Readable.fromWeb(body as ReadableStream);
  addAbortSignal(AbortSignal.timeout(readMsMax), stream);
  return readAllBytes(limitBytes(stream, bytesMax)).catch(() => undefined);
}
