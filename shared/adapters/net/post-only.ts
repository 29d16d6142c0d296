import { StepError } from '../../core/errors/step-error.ts';
import type { HttpRequest } from '../ports/http-port.ts';
import { checkedUrl } from './checked-url.ts';
import { fetchFailure, slowServer } from './fetch-failure.ts';
import { loadClient } from './load-client.ts';
import { sendableHeaders } from './sendable-headers.ts';

/** Follows no redirects, and reads only the status. @returns it. @throws StepError, UrlRefused for a bad address */
export async function postOnly(
  request: Pick<HttpRequest, 'url' | 'headers' | 'timeoutMs'> & { body: string },
): Promise<number> {
  const { url: given, headers, body, timeoutMs } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const url = checkedUrl(given);
    const { agentFor, fetch } = await loadClient();
    const response = await fetch(url, {
      method: 'POST',
      headers: sendableHeaders(headers),
      body,
      redirect: 'manual',
      signal: timeout,
      dispatcher: agentFor(url),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    if (error instanceof StepError) throw error;
    if (timeout.aborted) throw slowServer(request);
    throw fetchFailure(error, given);
  }
}
