/**
 * Gets one response of a model for a turn, with the fallbacks that the agent configures.
 * Deltas are yielded as they come; after a failure or an empty response a fallback begins anew, and readers see the turn
 * start over. A response is read to its end even if it is refused, since only then its cost is known.
 * Of more than `callsMaxPerResponse` calls none is made.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ModelEvent,
  type ModelPort,
  type ModelRequest,
  type ModelResponse,
  openResponse,
  unfinished,
} from '../../adapters/ports/model-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import { type ErrorHandling, fallbackAttempts } from '../../domain/flows/steps/error-handling.ts';
import {
  AttemptsFailed,
  listModelAlternatives,
  openAttempts,
  resultBeginning,
} from '../step-support/attempts.ts';
import { BudgetSpent } from './run-budget.ts';

export type ModelDelta = Exclude<ModelEvent, { type: 'finish' | 'start' }>;

export interface AskedResponse {
  response: ModelResponse;
  /** The type of the fallback that produced the response. */
  fallback?: string;
  /** If there was more than one. */
  attempts?: Attempt[];
}

/** Yields what the model or a fallback says; after a failure it begins anew. @throws StepError if none responds */
export async function* askModel(
  model: ModelPort,
  request: ModelRequest,
  { handling, mayBeEmpty }: { handling?: ErrorHandling | undefined; mayBeEmpty: boolean },
): AsyncGenerator<ModelDelta, AskedResponse> {
  const { begin, made } = openAttempts();
  async function* attempt(
    how: Parameters<typeof begin>[0],
    overrides: Record<string, unknown> = {},
  ): AsyncGenerator<ModelDelta, Tried> {
    const end = begin(how);
    const tried = yield* streamResponse(model, applyOverrides(request, overrides), mayBeEmpty);
    end('error' in tried ? tried : { isEmpty: isEmpty(tried.response) });
    return tried;
  }
  let tried = yield* attempt({ type: 'initial' });
  const fallbacks = handling?.onError === 'fallback' ? (handling.fallbacks ?? []) : [];
  for (const fallback of fallbacks) {
    if (request.signal.aborted || !needsFallback(handling, tried)) break;
    const { type, delay: delayMs } = fallback;
    if (delayMs) await sleep(delayMs, undefined, { signal: request.signal });
    if (type === 'message') {
      begin({ type, delayMs })({ isEmpty: false });
      return { response: toFixedResponse(fallback.message, request), fallback: type, ...made() };
    }
    const changes = await fallbackAttempts(fallback, () => listModelAlternatives(model, request.model));
    for (const [index, overrides] of changes.entries()) {
      if (!needsFallback(handling, tried)) break;
      tried = { ...(yield* attempt(resultBeginning(fallback, overrides, index), overrides)), fallback: type };
    }
  }
  const { attempts } = made();
  if ('error' in tried) {
    const { error } = tried;
    throw attempts && !(error instanceof BudgetSpent) ? new AttemptsFailed(error, attempts) : error;
  }
  return { ...tried, ...(attempts && { attempts }) };
}

type Tried = AskedResponse | { error: StepError };

async function* streamResponse(
  model: ModelPort,
  request: ModelRequest,
  mayBeEmpty: boolean,
): AsyncGenerator<ModelDelta, Tried> {
  const add = openResponse();
  const limit = openCallLimit();
  try {
    for await (const event of model.stream(request)) {
      if (!limit.admits(event)) continue;
      const response = add(event);
      // It is read to its end, which says what it costs.
      if (response) {
        const error = limit.isExceeded()
          ? createTooManyCallsError()
          : checkResponse(response, request, mayBeEmpty);
        return error ? { error } : { response };
      }
      if (event.type !== 'finish' && event.type !== 'start') yield event;
    }
  } catch (error) {
    if (error instanceof StepError) return { error };
    throw error;
  }
  throw unfinished();
}

/** More calls than any run may make (`maxToolCalls`) (D7). */
const callsMaxPerResponse = 128;

function openCallLimit() {
  const begun = new Set<string>();
  let complete = 0;
  let isExceeded = false;
  return {
    admits(event: ModelEvent): boolean {
      if (event.type !== 'tool-call' && event.type !== 'tool-call-delta') return true;
      const hasBegun = begun.has(event.id);
      if (!hasBegun && complete + begun.size >= callsMaxPerResponse) {
        isExceeded = true;
        return false;
      }
      if (event.type === 'tool-call-delta') begun.add(event.id);
      else {
        begun.delete(event.id);
        complete++;
      }
      return true;
    },
    isExceeded: () => isExceeded,
  };
}

const createTooManyCallsError = () =>
  new StepError(
    `The model requested more than ${callsMaxPerResponse} tool calls in one response; none of them was made`,
  );

function needsFallback(
  { triggers = [{ type: 'error' }] }: Partial<ErrorHandling> = {},
  tried: Tried,
): boolean {
  if ('error' in tried && tried.error.code) return false;
  const hasFailed = 'error' in tried;
  const isWithoutText = hasFailed ? tried.error.emptyOutput : isEmpty(tried.response);
  return triggers.some(
    ({ type }) => (type === 'error' && hasFailed) || (type === 'empty-output' && isWithoutText),
  );
}

/** Why a complete response is no answer. The same request would be answered alike, unless a call of a tool was garbled (D135). */
function checkResponse(
  response: ModelResponse,
  { format }: ModelRequest,
  mayBeEmpty: boolean,
): StepError | undefined {
  const { stopReason, providerReason, modelUsed, text, toolCalls } = response;
  const reason = providerReason === undefined ? '' : ` (${providerReason})`;
  if (stopReason === 'content-filter') {
    const said = text.trim().slice(0, 500);
    const words = `${modelUsed} did not answer: its provider refused or blocked the prompt or the answer${reason}`;
    return new StepError(said ? `${words}. It said: ${said}` : words, { emptyOutput: said === '' });
  }
  if (stopReason === 'length' && toolCalls.length === 0 && (format?.type === 'json' || isEmpty(response))) {
    return new StepError(
      `${modelUsed} reached its limit of output tokens${isEmpty(response) ? ' before it wrote an answer' : ', so its JSON is cut off'}. Raise maxTokens, let it reason less, or ask for less`,
      { emptyOutput: isEmpty(response) },
    );
  }
  if (!isEmpty(response) || (mayBeEmpty && stopReason === 'stop')) return undefined;
  const retryable = stopReason === 'error' || stopReason === 'other';
  return new StepError(`${modelUsed} answered with an empty text${reason}`, { retryable, emptyOutput: true });
}

const isEmpty = ({ text, toolCalls }: ModelResponse) => text.trim() === '' && toolCalls.length === 0;

const applyOverrides = (
  request: ModelRequest,
  { model, ...settings }: Record<string, unknown>,
): ModelRequest => ({
  ...request,
  ...(typeof model === 'string' && { model }),
  settings: { ...request.settings, ...settings },
});

const toFixedResponse = (text: string, { model }: ModelRequest): ModelResponse => ({
  text,
  message: { role: 'assistant', content: text },
  reasoning: '',
  toolCalls: [],
  sources: [],
  stopReason: 'stop',
  usage: null,
  cost: '0',
  modelUsed: model,
  keySource: 'platform',
});
