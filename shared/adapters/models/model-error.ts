import { APICallError, RetryError } from 'ai';
import { StepError } from '../../core/step-error.ts';
import type { ProviderKeys } from './provider-keys.ts';

interface Call {
  modelUsed: string;
  signal: AbortSignal;
  keys: ProviderKeys;
}

/** What went wrong with a model call, in words for the caller: never with a key in them. */
export function toStepError(error: unknown, { modelUsed, signal, keys }: Call): StepError {
  const last = RetryError.isInstance(error) ? error.lastError : error;
  const { words, retryable } = explained(last, signal);
  return new StepError(withoutKeys(`${modelUsed} ${words}`, keys), {
    retryable,
    cause: error,
  });
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

function withoutKeys(text: string, keys: ProviderKeys): string {
  const secrets = Object.entries(keys).flatMap(([name, value]) =>
    name.endsWith('_KEY') && value ? [value] : [],
  );
  return secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), text);
}
