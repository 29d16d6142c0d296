import { StepError } from '../../core/step-error.ts';

const timeoutMs = 20_000;

interface ServiceFailure extends Error {
  /** Of the SDK's own errors: whose fault it was. */
  $fault?: 'client' | 'server';
  $metadata?: { httpStatusCode?: number };
  code?: string;
}

/**
 * Hands a message to an AWS service. The SDK itself tries throttled and failed calls three times.
 * @param what Begins the sentence that says why it was not taken.
 */
export async function deliver<T>(what: string, send: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await send(AbortSignal.timeout(timeoutMs));
  } catch (error) {
    const failure = explained(error as ServiceFailure);
    if (!failure) throw error;
    throw new StepError(`${what} ${failure.words}`, { retryable: failure.retryable, cause: error });
  }
}

const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT']);

/** @returns nothing for what is no failure of the delivery but of the program. */
function explained({ name, message, $fault, $metadata, code }: ServiceFailure) {
  if (name === 'TimeoutError' || name === 'AbortError') {
    return { words: `was not taken within ${timeoutMs / 1_000} s`, retryable: true };
  }
  if (code && unreachable.has(code)) return { words: `could not be handed on: ${code}`, retryable: true };
  if (!$fault) return undefined;
  const status = $metadata?.httpStatusCode ?? 500;
  if (status >= 500) return { words: `could not be handed on: AWS answered ${status}`, retryable: true };
  // The message of this one names accounts and roles.
  if (/^AccessDenied/.test(name)) {
    return { words: 'was refused: this deployment is not allowed to send it', retryable: false };
  }
  const throttled = status === 429 || /Throttl|TooManyRequests|LimitExceeded/.test(name);
  return { words: `was refused: ${message.slice(0, 500)}`, retryable: throttled };
}
