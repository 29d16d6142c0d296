import { StepError } from '../../core/errors/step-error.ts';
import type { HttpRequest } from '../ports/http-port.ts';
import { checkedUrl } from './checked-url.ts';
import { fetchFailure, slowServer } from './fetch-failure.ts';
import { loadClient } from './load-client.ts';
import { sendableHeaders } from './sendable-headers.ts';

export interface PostRequest extends Pick<HttpRequest, 'url' | 'headers' | 'timeoutMs'> {
  body: string | Uint8Array<ArrayBuffer>;
  /** Only for addresses that the operator has set: it may be a private one. */
  isOperators?: boolean;
}

export interface PostAnswer {
  status: number;
  /** The header `Retry-After`. */
  retryAfter: string | null;
}

/** Follows no redirects, and reads no body. @throws StepError, UrlRefused for a bad address */
export async function postOnly(request: PostRequest): Promise<PostAnswer> {
  const { url: given, headers, body, timeoutMs, isOperators = false } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const url = isOperators ? new URL(given) : checkedUrl(given);
    const { agentFor, open, fetch } = await loadClient();
    const response = await fetch(url, {
      method: 'POST',
      headers: sendableHeaders(headers),
      body,
      redirect: 'manual',
      signal: timeout,
      dispatcher: isOperators ? open : agentFor(url),
    });
    await response.body?.cancel();
    return { status: response.status, retryAfter: response.headers.get('retry-after') };
  } catch (error) {
    if (error instanceof StepError) throw error;
    if (timeout.aborted) throw slowServer(request);
    throw fetchFailure(error, given);
  }
}
