import { APICallError } from '@ai-sdk/provider';
import { retryWithExponentialBackoff } from '@ai-sdk/provider-utils';

const retriesMax = 2;
/** A provider that asks for a longer wait is asked again after our own. */
const waitMsMax = 60_000;

/** Sends a call again that the provider refused for a while or that did not reach it. @throws the last error */
export const withRetries = async <T>(call: () => PromiseLike<T>, abortSignal: AbortSignal): Promise<T> =>
  retryWithExponentialBackoff({
    maxRetries: retriesMax,
    abortSignal,
    shouldRetry: (error) => APICallError.isInstance(error) && error.isRetryable,
    getDelayInMs: ({ error, exponentialBackoffDelay }) => askedWaitOf(error) ?? exponentialBackoffDelay,
    createRetryError: ({ errors }) => errors.at(-1) as Error,
  })(call);

/** How long the provider asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110). */
function askedWaitOf(error: unknown): number | undefined {
  const { responseHeaders = {} } = APICallError.isInstance(error) ? error : {};
  const { 'retry-after-ms': ms, 'retry-after': after = '' } = responseHeaders;
  const asked = [
    Number(ms ?? Number.NaN),
    Number(after || Number.NaN) * 1_000,
    Date.parse(after) - Date.now(),
  ];
  const wait = asked.find((each) => !Number.isNaN(each));
  return wait !== undefined && wait >= 0 && wait < waitMsMax ? wait : undefined;
}
