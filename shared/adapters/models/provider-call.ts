import { APICallError } from '@ai-sdk/provider';
import { inPlaceMsMax, RunMustWait } from '../../core/errors/run-must-wait.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { type ModelAdmission, type ProviderRequest, postponedMsMax } from './admission.ts';
import { requestedWaitMs, withRetries } from './retries.ts';

export interface ProviderAnswer<T> {
  answer: T;
  /** To be called once, when the response has ended, with the tokens that it used if they are known. */
  end: (tokens?: number) => void;
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
    const { end } = (await admission?.admit(request).catch(asOwnFailure)) ?? { end() {} };
    try {
      return { answer: await send(), end };
    } catch (error) {
      end(isRefused(error) ? 0 : undefined);
      if (admission) await pauseAfter(error, request, admission);
      throw error;
    }
  };
  return withRetries(attempt, request.signal, request.wait?.triesAgain ? 0 : undefined);
};

/** The limits could not be read or written, which says nothing of the model. */
export class AdmissionFailed extends Error {}

function asOwnFailure(cause: Error): never {
  throw cause instanceof StepError || cause.name === 'AbortError' || cause.name === 'TimeoutError'
    ? cause
    : new AdmissionFailed('The limits of a model could not be kept', { cause });
}

const isRefused = (error: unknown) => APICallError.isInstance(error) && (error.statusCode ?? 0) >= 400;

async function pauseAfter(
  error: unknown,
  { model, wait }: ProviderRequest,
  { pause }: ModelAdmission,
): Promise<void> {
  if (!APICallError.isInstance(error) || error.statusCode !== 429) return;
  const asked = requestedWaitMs(error);
  if (asked === undefined) return;
  const until = await pause(model, asked);
  const isPatient = wait?.maySuspend() && Date.now() - wait.since.getTime() < postponedMsMax;
  if (asked > inPlaceMsMax && isPatient)
    throw new RunMustWait(until, 'The provider takes no calls with the key');
}
