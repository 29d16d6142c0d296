import { APICallError, JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import { omitUndefined } from '../../core/defined.ts';
import { failureOfStatus, StepError, type StepErrorOptions } from '../../core/errors/step-error.ts';
import { tryParseJson } from '../../core/json/json.ts';
import { AddressRefused } from '../net/addresses.ts';
import { ModelCallFailed } from '../ports/model-port.ts';
import { readStatedError, type StatedError } from '../stated-error.ts';
import { readRequestedWaitMs } from './provider-call.ts';
import { modelCallSource, type ResolvedModel } from './resolved-model.ts';

/** SDKs put whole responses into messages. */
const messageMax = 2_000;

/** Describes a failed model call for the caller, without the API key. */
export function toModelCallFailed(
  error: unknown,
  model: ResolvedModel,
  signal: AbortSignal,
): ModelCallFailed {
  const { words, code, param, ...facts } = explainError(error, signal);
  const { apiKey } = model.credentials;
  const source = modelCallSource(model);
  const message = `${source.modelUsed} ${words}`;
  const shown = (apiKey ? message.replaceAll(apiKey, '***') : message).slice(0, messageMax);
  const isAborted = signal.aborted && !isTimeout(signal);
  return new ModelCallFailed(shown, {
    ...facts,
    cause: error,
    source,
    isAborted,
    stated: { code, param },
  });
}

type Explained = Pick<StepErrorOptions, 'retryable' | 'kind' | 'askedMs'> &
  Omit<StatedError, 'words'> & { words: string; status?: number };

function explainError(error: unknown, signal: AbortSignal): Explained {
  if (signal.aborted) {
    return isTimeout(signal)
      ? { words: 'did not answer in time', retryable: true, kind: 'timeout' }
      : { words: 'was aborted', retryable: true };
  }
  const limitError = findStepError(error);
  if (limitError instanceof AddressRefused)
    return { words: `cannot be reached: ${limitError.message}`, retryable: false };
  if (limitError)
    return {
      words: `returned an unusable response: ${limitError.message}`,
      retryable: limitError.retryable,
      kind: limitError.kind,
    };
  if (!APICallError.isInstance(error)) return unusable(error);
  const { statusCode, message, cause, responseBody } = error;
  if (statusCode === undefined) {
    const { code } = (cause ?? {}) as NodeJS.ErrnoException;
    return { words: `cannot be reached: ${code ?? message}`, retryable: true, kind: 'network' };
  }
  // The SDKs wrap what they cannot read of a successful answer.
  if (statusCode < 400) return unusable(cause ?? error);
  const { words = message, ...facts } = readStatedError(responseBody ?? '');
  return {
    ...facts,
    words: `answered ${statusCode}: ${words}`,
    status: statusCode,
    ...failureOfStatus(statusCode),
    askedMs: readRequestedWaitMs(error),
  };
}

const isTimeout = ({ reason }: AbortSignal) => (reason as Error | undefined)?.name === 'TimeoutError';

/** The same request would be answered alike, unless the answer broke off. */
function unusable(error: unknown): Explained {
  const { message = '' } = error as Error;
  if (JSONParseError.isInstance(error)) {
    const beginning = error.text.trim().slice(0, 200);
    return {
      words: `returned an unusable response: it is no JSON, and begins with: ${beginning}`,
      retryable: true,
    };
  }
  if (!TypeValidationError.isInstance(error)) {
    return { words: `returned an unusable response: ${message}`, retryable: true };
  }
  const { words, ...facts } = readStatedError(error.value);
  if (words !== undefined)
    return { ...facts, words: `returned an unusable response: ${words}`, retryable: true };
  const { issues: [issue] = [] } = (error.cause ?? {}) as {
    issues?: { path: PropertyKey[]; message: string }[];
  };
  const where = issue?.path.length
    ? `its member ${issue.path.join('.')} is not as its API says`
    : 'it has another form than its API says';
  return {
    words: `returned an unusable response: ${where}${issue ? ` (${issue.message})` : ''}`,
    retryable: false,
  };
}

/** The tokens that an answer states which cannot be used, and is to be paid; undefined without such an answer. */
export function findChargedUsage(
  error: unknown,
): { inputTokens?: number; outputTokens?: number } | undefined {
  const isAnswer =
    TypeValidationError.isInstance(error) ||
    (APICallError.isInstance(error) && (error.statusCode ?? 0) === 200);
  if (!isAnswer) return undefined;
  const body = APICallError.isInstance(error) ? tryParseJson(error.responseBody ?? '') : error.value;
  const { usage, usageMetadata } = (body ?? {}) as { usage?: unknown; usageMetadata?: unknown };
  const counts = (usage ?? usageMetadata ?? {}) as Record<string, unknown>;
  const first = (...names: string[]) =>
    names.map((name) => counts[name]).find((count) => typeof count === 'number');
  return omitUndefined({
    inputTokens: first('prompt_tokens', 'input_tokens', 'promptTokenCount') as number | undefined,
    outputTokens: first('completion_tokens', 'output_tokens', 'candidatesTokenCount') as number | undefined,
  });
}

function findStepError(error: unknown): StepError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof StepError) return each;
  return undefined;
}
