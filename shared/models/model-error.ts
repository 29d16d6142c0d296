import { APICallError, RetryError } from 'ai';
import { StepError } from '../flows/step.ts';
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

function withoutKeys(text: string, keys: ProviderKeys): string {
  const secrets = Object.entries(keys).flatMap(([name, value]) =>
    name.endsWith('_KEY') && value ? [value] : [],
  );
  return secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, '***'), text);
}
