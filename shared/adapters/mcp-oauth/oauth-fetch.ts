import { StepError } from '../../core/errors/step-error.ts';
import { fetchFailure } from '../net/fetch-failure.ts';
import { makeStreamingFetch } from '../net/streaming-fetch.ts';
import { userAgent } from '../net/user-agent.ts';
import { secureUrl } from './secure-url.ts';

type Fetch = typeof globalThis.fetch;

/** Of one response. Metadata and tokens have a few KB. */
const bytesMax = 200_000;

/** Of one discovery, with its fallbacks and redirects. */
const requestsMax = 20;

const timeoutMs = 10_000;

const egress = makeStreamingFetch(() => bytesMax, true);

/** https only, with limits for all requests together. Sends none after an error that the SDK must not ignore. */
export function oauthFetch(signal: AbortSignal): Fetch {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let requests = 0;
  let failed: StepError | undefined;
  return async (target, { method, headers, body } = {}) => {
    if (failed) throw failed;
    const url = String(target);
    try {
      requests += 1;
      if (requests > requestsMax) throw new StepError(`OAuth takes more than ${requestsMax} requests`);
      secureUrl(url);
      const sent = new Headers(headers);
      sent.set('user-agent', userAgent);
      return await egress(url, {
        method: method ?? 'GET',
        headers: sent,
        signal: limited,
        ...(body != null && { body: String(body) }),
      });
    } catch (error) {
      failed = limited.aborted
        ? new StepError(`${new URL(url).origin} did not answer within ${timeoutMs} ms`, { retryable: true })
        : fetchFailure(error, url);
      signal.throwIfAborted();
      throw failed;
    }
  };
}
