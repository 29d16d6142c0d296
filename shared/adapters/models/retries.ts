import { APICallError } from '@ai-sdk/provider';
import { retryWithExponentialBackoff } from '@ai-sdk/provider-utils';

const retriesMax = 2;
/** A longer wait requested by the provider is ignored in favour of our own backoff. */
const waitMsMax = 60_000;

/** Retries a call after temporary errors and failed connections. @throws the last error */
export const withRetries = async <T>(
  call: () => PromiseLike<T>,
  abortSignal: AbortSignal,
  maxRetries = retriesMax,
): Promise<T> =>
  retryWithExponentialBackoff({
    maxRetries,
    abortSignal,
    shouldRetry: (error) => APICallError.isInstance(error) && error.isRetryable,
    getDelayInMs: ({ error, exponentialBackoffDelay }) => {
      const asked = requestedWaitMs(error);
      return asked !== undefined && asked < waitMsMax ? asked : exponentialBackoffDelay;
    },
    createRetryError: ({ errors }) => errors.at(-1) as Error,
  })(call);

/** The requested wait: `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110). */
export function requestedWaitMs(error: unknown): number | undefined {
  const { responseHeaders = {} } = APICallError.isInstance(error) ? error : {};
  const { 'retry-after-ms': ms, 'retry-after': after = '' } = responseHeaders;
  const asked = [
    Number(ms ?? Number.NaN),
    Number(after || Number.NaN) * 1_000,
    Date.parse(after) - Date.now(),
  ];
  const wait = asked.find((each) => !Number.isNaN(each));
  return wait !== undefined && wait >= 0 ? wait : undefined;
}
