import { APICallError } from '@ai-sdk/provider';
import { StepError } from '../../core/step-error.ts';
import { modelUsedOf, type ResolvedModel } from './catalog.ts';

/** What went wrong with a model call, in words for the caller: never with a key in them. */
export function toStepError(error: unknown, model: ResolvedModel, signal: AbortSignal): StepError {
  const { words, retryable } = explained(error, signal);
  const { apiKey } = model.credentials;
  const message = `${modelUsedOf(model)} ${words}`;
  return new StepError(apiKey ? message.replaceAll(apiKey, '***') : message, { retryable, cause: error });
}

function explained(error: unknown, signal: AbortSignal): { words: string; retryable: boolean } {
  if (signal.aborted) {
    const timedOut = (signal.reason as Error | undefined)?.name === 'TimeoutError';
    return { words: timedOut ? 'did not answer in time' : 'was called off', retryable: true };
  }
  const own = ownErrorIn(error);
  if (own) return { words: `gave no usable answer: ${own.message}`, retryable: own.retryable };
  if (!APICallError.isInstance(error)) {
    return { words: `gave no usable answer: ${(error as Error).message}`, retryable: true };
  }
  const { statusCode, message, cause } = error;
  if (statusCode === undefined) {
    const { code } = (cause ?? {}) as NodeJS.ErrnoException;
    return { words: `cannot be reached: ${code ?? message}`, retryable: true };
  }
  if (statusCode < 400) return { words: `gave no usable answer: ${message}`, retryable: true };
  const retryable = statusCode === 429 || statusCode === 408 || statusCode >= 500;
  return { words: `answered ${statusCode}: ${message}`, retryable };
}

/** What this service found wrong with the answer, inside of what the SDK made of that. */
function ownErrorIn(error: unknown): StepError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof StepError) return each;
  return undefined;
}
