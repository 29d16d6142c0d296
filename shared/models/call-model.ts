import type { LanguageModel } from 'ai';
import type { ModelAnswer, ModelRequest } from '../flows/ports.ts';
import { memoise } from '../memoise.ts';
import { type ModelName, priceOf, resolveModel } from './catalog.ts';
import { costOf, type Usage } from './cost.ts';
import { type ProviderKeys, providerKeys } from './provider-keys.ts';
import { type Provider, providers } from './providers.ts';

/** Asks a language model; what the provider refuses for a while (429, 5xx) is asked again twice. @throws StepError */
export async function callModel(request: ModelRequest): Promise<ModelAnswer> {
  const keys = await providerKeys();
  const name = await resolveModel(request.model, keys);
  const modelUsed = `${name.provider}/${name.modelId}`;
  const { text, usage } = await generate({ name, keys }, request).catch(async (error) => {
    const { toStepError } = await import('./model-error.ts');
    throw toStepError(error, { modelUsed, signal: request.signal, keys });
  });
  const counted = countedTokens(usage);
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
const clientOf = memoise((target): Promise<LanguageModel> => {
  const { name, keys } = JSON.parse(target) as Target;
  const provider: Provider = providers[name.provider];
  return provider.model(name.modelId, keys);
}, 100);

async function generate(target: Target, request: ModelRequest) {
  const { generateText, Output } = await import('ai');
  // What a provider does not support it leaves out; the SDK would print that on every call.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const { system, messages, format, maxTokens, signal } = request;
  const { temperature, topP, topK, frequencyPenalty, presencePenalty, seed } = request;
  // Asks for JSON without parsing it: an answer that is none is shown in the step's own words.
  const json = { ...Output.text(), responseFormat: Promise.resolve({ type: 'json' as const }) };
  return generateText({
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
  });
}

/** The tokens of a call; nothing when the provider did not say. */
function countedTokens(usage: Awaited<ReturnType<typeof generate>>['usage']): Usage | undefined {
  const { inputTokens, outputTokens, inputTokenDetails } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const { cacheReadTokens, cacheWriteTokens } = inputTokenDetails;
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

const defined = <T extends object>(settings: T) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };
