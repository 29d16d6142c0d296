import { setTimeout as sleep } from 'node:timers/promises';
import { StepError } from '../../core/errors/step-error.ts';

const timeoutMs = 20_000;

interface ServiceFailure extends Error {
  /** Set by the SDK: who caused the error. */
  $fault?: 'client' | 'server';
  $metadata?: { httpStatusCode?: number };
  code?: string;
}

/** For the SDK, which would also send again what may have been accepted. */
export const sentOnce = { maxAttempts: 1 };
const attemptsMax = 3;
const pauseMs = 200;

/** Sends again what was certainly not accepted. @param what The subject of the error message. */
export async function deliverMessage<T>(
  what: string,
  send: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(AbortSignal.timeout(timeoutMs));
    } catch (error) {
      const failure = explainFailure(error as ServiceFailure);
      if (!failure) throw error;
      const { words, ...options } = failure;
      if (!options.undone || attempt === attemptsMax) {
        throw new StepError(`${what} ${words}`, { ...options, cause: error });
      }
      await sleep(Math.random() * pauseMs * 2 ** attempt);
    }
  }
}

const unconnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT']);

/** @returns undefined for errors that are not delivery failures. */
function explainFailure({ name, message, $fault, $metadata, code }: ServiceFailure) {
  if (name === 'TimeoutError' || name === 'AbortError') {
    return { words: `was not accepted within ${timeoutMs / 1_000} s`, retryable: true };
  }
  if (code && unreachable.has(code)) {
    return { words: `could not be sent: ${code}`, retryable: true, undone: unconnected.has(code) };
  }
  if (!$fault) return undefined;
  const status = $metadata?.httpStatusCode ?? 500;
  if (status >= 500) return { words: `could not be sent: AWS answered ${status}`, retryable: true };
  // The message of an AccessDenied error contains accounts and roles.
  if (/^AccessDenied/.test(name)) {
    return { words: 'was rejected: this deployment has no permission to send it', retryable: false };
  }
  const throttled = status === 429 || /Throttl|TooManyRequests|LimitExceeded/.test(name);
  return { words: `was rejected: ${message.slice(0, 500)}`, retryable: throttled, undone: throttled };
}
