import type { generateText, LanguageModel, streamText } from 'ai';
import { memoise } from '../../core/cache.ts';
import { StepError } from '../../core/step-error.ts';
import type { ModelAnswer, ModelRequest } from '../ports.ts';
import { type ModelName, priceOf, resolveModel } from './catalog.ts';
import { costOf } from './cost.ts';
import { answerCharactersMax } from './model-fetch.ts';
import { type ProviderKeys, providerKeys } from './provider-keys.ts';
import { type Provider, providers } from './providers.ts';
import { usageFrom } from './usage.ts';

/** Asks a language model; what the provider refuses for a while (429, 5xx) is asked again twice. @throws StepError */
export async function callModel(request: ModelRequest): Promise<ModelAnswer> {
  const keys = await providerKeys();
  const name = await resolveModel(request.model, keys);
  const modelUsed = `${name.provider}/${name.modelId}`;
  const { text, usage } = await generate({ name, keys }, request).catch(async (error) => {
    const { toStepError } = await import('./model-error.ts');
    throw toStepError(error, { modelUsed, signal: request.signal, keys });
  });
  const counted = usageFrom({ ...usage.inputTokenDetails, ...usage }, modelUsed);
  const price = counted && (await priceOf(name, keys));
  return {
    text,
    modelUsed,
    promptTokens: counted?.inputTokens ?? 0,
    completionTokens: counted?.outputTokens ?? 0,
    estimatedCost: price ? costOf(price, counted) : null,
  };
}

interface Target {
  name: ModelName;
  keys: ProviderKeys;
}

/** The SDK's client for a target, which is given as JSON. Making one costs more than a call does. */
const clientOf = memoise(
  (target): Promise<LanguageModel> => {
    const { name, keys } = JSON.parse(target) as Target;
    const provider: Provider = providers[name.provider];
    return provider.model(name.modelId, keys);
  },
  { entriesMax: 100 },
);

async function generate(target: Target, request: ModelRequest): Promise<Generated> {
  const { generateText, Output } = await import('ai');
  // What a provider does not support it leaves out; the SDK would print that on every call.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const { system, messages, format, maxTokens, signal, onText } = request;
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = request;
  // Asks for JSON without parsing it: an answer that is none is shown in the step's own words.
  const json = { ...Output.text(), responseFormat: Promise.resolve({ type: 'json' as const }) };
  const call = {
    model: await clientOf(JSON.stringify(target)),
    messages,
    ...(system && { instructions: system }),
    ...(format === 'json' && { output: json }),
    ...defined({
      temperature,
      topP,
      topK,
      frequencyPenalty,
      presencePenalty,
      seed,
      maxOutputTokens: maxTokens,
    }),
    maxRetries: 2,
    abortSignal: signal,
  };
  const generated = await (onText ? streamed(call, onText) : generateText(call));
  if (generated.text.length > answerCharactersMax) throw tooLong();
  return generated;
}

type Generated = Pick<Awaited<ReturnType<typeof generateText>>, 'text' | 'usage'>;

/** The answer piece by piece, as the model writes it. */
async function streamed(
  call: Parameters<typeof streamText>[0] & { abortSignal: AbortSignal },
  onText: NonNullable<ModelRequest['onText']>,
): Promise<Generated> {
  const { streamText } = await import('ai');
  let failure: unknown;
  const ended = new AbortController();
  const result = streamText({
    ...call,
    abortSignal: AbortSignal.any([call.abortSignal, ended.signal]),
    onError: ({ error }) => {
      failure = error;
    },
  });
  let text = '';
  try {
    for await (const delta of result.textStream) {
      text += delta;
      if (text.length > answerCharactersMax) throw tooLong();
      await onText(delta);
    }
    call.abortSignal.throwIfAborted();
    if (failure) throw failure;
    return { text, usage: await result.usage };
  } finally {
    // Who leaves the loop leaves the SDK reading.
    ended.abort();
  }
}

const tooLong = () => new StepError(`the answer has more than ${answerCharactersMax} characters`);

const defined = <T extends object>(settings: T) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };
