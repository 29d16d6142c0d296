import type { EmbeddingModel } from 'ai';
import { memoise } from '../../core/cache.ts';
import { StepError } from '../../core/step-error.ts';
import type { EmbeddingAnswer, EmbeddingRequest } from '../ports.ts';
import { type ModelName, priceOf, resolveModel } from './catalog.ts';
import { costOf } from './cost.ts';
import { type ProviderKeys, providerKeys } from './provider-keys.ts';
import { type Provider, providerNames, providers } from './providers.ts';
import { usageFrom } from './usage.ts';

const textsMax = 500;
const charactersMax = 100_000;
const allCharactersMax = 2_000_000;
/** As many requests of a call may be under way; a provider takes 100 texts in one, or more. */
const parallelMax = 4;

/** The vectors of texts; what the provider refuses for a while (429, 5xx) is asked again twice. @throws StepError */
export async function embedTexts({ model, texts, signal }: EmbeddingRequest): Promise<EmbeddingAnswer> {
  checkSizes(texts);
  const keys = await providerKeys();
  const name = await resolveModel(model, keys);
  const modelUsed = `${name.provider}/${name.modelId}`;
  const client = await clientOf(JSON.stringify({ name, keys } satisfies Target));
  const { embedMany } = await import('ai');
  // What a provider does not support it leaves out; the SDK would print that on every call.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const { embeddings, usage } = await embedMany({
    model: client,
    values: texts,
    maxParallelCalls: parallelMax,
    maxRetries: 2,
    abortSignal: signal,
  }).catch(async (error) => {
    const { toStepError } = await import('./model-error.ts');
    throw toStepError(error, { modelUsed, signal, keys });
  });
  checkVectors(embeddings, modelUsed);
  // The SDK says NaN where the provider says nothing.
  const inputTokens = Number.isNaN(usage.tokens) ? undefined : usage.tokens;
  const counted = usageFrom({ inputTokens, outputTokens: 0 }, modelUsed);
  const price = counted ? await priceOf(name, keys) : null;
  return {
    vectors: embeddings.map((vector) => vector.map(shortened)),
    modelUsed,
    promptTokens: counted?.inputTokens ?? 0,
    estimatedCost: price && counted ? costOf(price, counted) : null,
  };
}

interface Target {
  name: ModelName;
  keys: ProviderKeys;
}

/** The SDK's client for a target, which is given as JSON. */
const clientOf = memoise(
  (target): Promise<EmbeddingModel> => {
    const { name, keys } = JSON.parse(target) as Target;
    const provider: Provider = providers[name.provider];
    if (provider.embedding) return provider.embedding(name.modelId, keys);
    const able = providerNames.filter((each) => 'embedding' in providers[each]).join(', ');
    throw new StepError(`The model provider ${name.provider} makes no embeddings; these do: ${able}`);
  },
  { entriesMax: 100 },
);

function checkSizes(texts: readonly string[]): void {
  if (texts.length === 0) throw new StepError('There is no text to embed');
  if (texts.length > textsMax) {
    throw new StepError(`${texts.length} texts are too many to embed in one step; ${textsMax} are the most`);
  }
  const nth = (index: number) =>
    texts.length === 1 ? 'The text to embed' : `Text ${index} of those to embed`;
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '') throw new StepError(`${nth(index)} is empty`);
    if (text.length > charactersMax) {
      throw new StepError(`${nth(index)} has ${text.length} characters; ${charactersMax} are the most`);
    }
  }
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  if (total <= allCharactersMax) return;
  throw new StepError(
    `The texts to embed have ${total} characters; ${allCharactersMax} are the most in one step`,
  );
}

/** @throws StepError unless all vectors have the same length. That they are numbers, one vector a text, the SDK checks. */
function checkVectors([first = [], ...others]: readonly (readonly number[])[], modelUsed: string): void {
  if (first.length > 0 && others.every(({ length }) => length === first.length)) return;
  throw new StepError(`${modelUsed} gave no usable answer: vectors that are empty, or of different lengths`, {
    retryable: true,
  });
}

/** Nine digits hold a 32-bit float exactly, in half the room that JSON takes for a number. */
const shortened = (value: number) => Number(value.toPrecision(9));
