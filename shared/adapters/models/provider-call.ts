import { APICallError } from '@ai-sdk/provider';
import { retryWithExponentialBackoff } from '@ai-sdk/provider-utils';
import { inPlaceMsMax, RunMustWait, StepError } from '../../core/errors/step-error.ts';
import type { CallerWait } from '../ports/model-port.ts';
import type { ResolvedModel } from './resolved-model.ts';

interface ProviderAnswer<T> {
  answer: T;
  /** To be called once, when the response has ended, with what it used as far as that is known. */
  end: (used?: CallUse) => void;
}

/**
 * Makes a request to a provider; temporary errors are retried. Each attempt is admitted by itself. @throws RunMustWait if the
 * provider asks for a longer wait, else the last error
 */
export const callProvider = <T>(
  admission: ModelAdmission | undefined,
  request: ProviderRequest,
  send: () => PromiseLike<T>,
): Promise<ProviderAnswer<T>> => {
  const attempt = async () => {
    const { end } = (await admission?.admit(request).catch(rethrowAdmissionFailure)) ?? { end() {} };
    try {
      return { answer: await send(), end };
    } catch (error) {
      end(isRefused(error) ? { tokens: 0, usd: '0' } : undefined);
      if (admission) await pauseOnLimit(error, request, admission);
      throw error;
    }
  };
  return retryCall(attempt, request.signal, request.wait?.triesAgain ? 0 : undefined);
};

/** The limits could not be read or written, which says nothing of the model. */
export class AdmissionFailed extends Error {}

function rethrowAdmissionFailure(cause: Error): never {
  throw cause instanceof StepError || cause.name === 'AbortError' || cause.name === 'TimeoutError'
    ? cause
    : new AdmissionFailed('The limits of a model could not be kept', { cause });
}

const isRefused = (error: unknown) => APICallError.isInstance(error) && (error.statusCode ?? 0) >= 400;

async function pauseOnLimit(
  error: unknown,
  { model, wait }: ProviderRequest,
  { pause }: ModelAdmission,
): Promise<void> {
  if (!APICallError.isInstance(error) || error.statusCode !== 429) return;
  const asked = readRequestedWaitMs(error);
  if (asked === undefined) return;
  const until = await pause(model, asked);
  const isPatient = wait?.maySuspend() && Date.now() - wait.since.getTime() < postponedMsMax;
  if (asked > inPlaceMsMax && isPatient)
    throw new RunMustWait(until, 'The provider takes no calls with the key');
}

const retriesMax = 2;
/** A longer wait requested by the provider is ignored in favour of our own backoff. */
const waitMsMax = 60_000;

/** Retries a call after temporary errors and failed connections. @throws the last error */
const retryCall = async <T>(
  call: () => PromiseLike<T>,
  abortSignal: AbortSignal,
  maxRetries = retriesMax,
): Promise<T> =>
  retryWithExponentialBackoff({
    maxRetries,
    abortSignal,
    shouldRetry: (error) => APICallError.isInstance(error) && error.isRetryable,
    getDelayInMs: ({ error, exponentialBackoffDelay }) => {
      const asked = readRequestedWaitMs(error);
      return asked !== undefined && asked < waitMsMax ? asked : exponentialBackoffDelay;
    },
    createRetryError: ({ errors }) => errors.at(-1) as Error,
  })(call);

/** The requested wait: `retry-after-ms`, or `Retry-After` in seconds or as a date (RFC 9110). */
export function readRequestedWaitMs(error: unknown): number | undefined {
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

/** A step that is kept off for longer fails. */
export const postponedMsMax = 86_400_000;

/** A request to a provider that is about to be made. */
export interface ProviderRequest {
  model: ResolvedModel;
  /** The most tokens that it is expected to use. Asked for only where tokens are limited. */
  tokens: () => number;
  /** The most USD that it may cost, if the model has a price. Asked for only where money is limited. */
  usd: () => Promise<string | null>;
  wait: CallerWait | undefined;
  signal: AbortSignal;
}

/** What a call used, as far as that is known. */
export interface CallUse {
  tokens?: number;
  /** Only where money is limited. */
  usd?: string;
}

/** A request that may be made now. */
export interface Admitted {
  /** To be called once, when the response has ended, with what it used as far as that is known. */
  end: (used?: CallUse) => void;
}

/** Keeps requests to the limits of their model config and their key. */
export interface ModelAdmission {
  /** Waits until the request may be made. @throws RunMustWait; StepError with RATE_LIMITED */
  admit: (request: ProviderRequest) => Promise<Admitted>;
  /** No request is made with the key of the model for so long. @returns when it may be used again */
  pause: (model: ResolvedModel, ms: number) => Promise<Date>;
}
