import { APICallError, TypeValidationError } from '@ai-sdk/provider';
import * as z from 'zod';
import { failureOfStatus, StepError, type StepErrorOptions } from '../../core/errors/step-error.ts';
import { AddressRefused } from '../net/addresses.ts';
import { ModelCallFailed } from '../ports/model-port.ts';
import { modelCallSource, type ResolvedModel } from './resolved-model.ts';

/** SDKs put whole responses into messages. */
const messageMax = 2_000;

/** Describes a failed model call for the caller, without the API key. */
export function toModelCallFailed(
  error: unknown,
  model: ResolvedModel,
  signal: AbortSignal,
): ModelCallFailed {
  const { words, ...facts } = explained(error, signal);
  const { apiKey } = model.credentials;
  const source = modelCallSource(model);
  const message = `${source.modelUsed} ${words}`;
  const shown = (apiKey ? message.replaceAll(apiKey, '***') : message).slice(0, messageMax);
  const isAborted = signal.aborted && !isTimeout(signal);
  return new ModelCallFailed(shown, { ...facts, cause: error, source, isAborted });
}

type Explained = Pick<StepErrorOptions, 'retryable' | 'kind'> & { words: string; status?: number };

function explained(error: unknown, signal: AbortSignal): Explained {
  if (signal.aborted) {
    return isTimeout(signal)
      ? { words: 'did not answer in time', retryable: true, kind: 'timeout' }
      : { words: 'was aborted', retryable: true };
  }
  const own = ownErrorIn(error);
  if (own instanceof AddressRefused) return { words: `cannot be reached: ${own.message}`, retryable: false };
  if (own)
    return {
      words: `returned an unusable response: ${own.message}`,
      retryable: own.retryable,
      kind: own.kind,
    };
  if (!APICallError.isInstance(error)) {
    return { words: `returned an unusable response: ${wordsOf(error)}`, retryable: true };
  }
  const { statusCode, message, cause } = error;
  if (statusCode === undefined) {
    const { code } = (cause ?? {}) as NodeJS.ErrnoException;
    return { words: `cannot be reached: ${code ?? message}`, retryable: true, kind: 'network' };
  }
  if (statusCode < 400) return { words: `returned an unusable response: ${message}`, retryable: true };
  return {
    words: `answered ${statusCode}: ${message}`,
    status: statusCode,
    ...failureOfStatus(statusCode),
  };
}

const isTimeout = ({ reason }: AbortSignal) => (reason as Error | undefined)?.name === 'TimeoutError';

const Reported = z.object({ error: z.object({ message: z.string() }) });

/** The message of an error, or of the server's error event that its SDK did not expect. */
function wordsOf(error: unknown): string {
  const reported = TypeValidationError.isInstance(error) ? Reported.safeParse(error.value).data : undefined;
  return reported?.error.message ?? (error as Error).message;
}

function ownErrorIn(error: unknown): StepError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof StepError) return each;
  return undefined;
}
