import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ModelEvent,
  type ModelPort,
  type ModelRequest,
  type ModelResponse,
  openResponse,
  unfinished,
} from '../../adapters/model-port.ts';
import { StepError } from '../../core/step-error.ts';
import { type ErrorHandling, fallbackAttempts } from '../../domain/flows/steps/error-handling.ts';

export type ModelDelta = Exclude<ModelEvent, { type: 'finish' | 'start' }>;

export interface Asked {
  response: ModelResponse;
  /** The type of the fallback that produced the response. */
  fallback?: string;
}

/**
 * One response of the model, or of the fallbacks of the error handling. Yields what the model says; after a failure it
 * begins anew. @throws StepError if none responds.
 */
export async function* askModel(
  model: ModelPort,
  request: ModelRequest,
  handling: ErrorHandling | undefined,
): AsyncGenerator<ModelDelta, Asked> {
  let tried = yield* attempt(model, request);
  const fallbacks = handling?.onError === 'fallback' ? (handling.fallbacks ?? []) : [];
  for (const fallback of fallbacks) {
    if (request.signal.aborted || !triggers(handling, tried)) break;
    if (fallback.delay) await sleep(fallback.delay, undefined, { signal: request.signal });
    const { type } = fallback;
    if (type === 'message') return { response: said(fallback.message, request), fallback: type };
    for (const overrides of await fallbackAttempts(fallback, () => alternativesTo(model, request.model))) {
      if (!triggers(handling, tried)) break;
      tried = { ...(yield* attempt(model, withOverrides(request, overrides))), fallback: type };
    }
  }
  if ('error' in tried) throw tried.error;
  return tried;
}

type Attempt = Asked | { error: StepError };

async function* attempt(model: ModelPort, request: ModelRequest): AsyncGenerator<ModelDelta, Attempt> {
  const add = openResponse();
  try {
    for await (const event of model.stream(request)) {
      const response = add(event);
      if (response) return { response };
      if (event.type !== 'finish' && event.type !== 'start') yield event;
    }
  } catch (error) {
    if (error instanceof StepError) return { error };
    throw error;
  }
  throw unfinished();
}

function triggers({ triggers = [{ type: 'error' }] }: Partial<ErrorHandling> = {}, tried: Attempt): boolean {
  const reason = 'error' in tried ? 'error' : isEmpty(tried.response) ? 'empty-output' : undefined;
  return triggers.some(({ type }) => type === reason);
}

const isEmpty = ({ text, toolCalls }: ModelResponse) => text.trim() === '' && toolCalls.length === 0;

const withOverrides = (
  request: ModelRequest,
  { model, ...settings }: Record<string, unknown>,
): ModelRequest => ({
  ...request,
  ...(typeof model === 'string' && { model }),
  settings: { ...request.settings, ...settings },
});

/** None if the model cannot be resolved: its own error is the one to show. */
export async function alternativesTo({ alternatives }: ModelPort, model: string): Promise<string[]> {
  try {
    return await alternatives(model);
  } catch (error) {
    if (error instanceof StepError) return [];
    throw error;
  }
}

/** A response that no model gave. */
const said = (text: string, { model }: ModelRequest): ModelResponse => ({
  ...{ text, message: { role: 'assistant', content: text }, reasoning: '', toolCalls: [], sources: [] },
  ...{ stopReason: 'stop', usage: null, cost: '0', modelUsed: model, keySource: 'platform' },
});
