import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { memoise } from '../../core/cache.ts';
import { chunksOf } from '../../core/chunks.ts';
import { forEachConcurrently } from '../../core/for-each-concurrently.ts';
import { StepError } from '../../core/step-error.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../ports.ts';
import { modelUsedOf, priceOf, type ResolvedModel } from './catalog.ts';
import { costOf } from './cost.ts';
import { type Provider, providerNames, providers } from './providers.ts';
import { withRetries } from './retries.ts';
import { usageFrom } from './usage.ts';

const textsMax = 500;
const charactersMax = 100_000;
const allCharactersMax = 2_000_000;
/** As many requests of a call may be under way; a provider takes 100 texts in one, or more. */
const parallelMax = 4;

/** The vectors of texts. What the provider refuses for a while (429, 5xx) is sent again, twice at most. @throws StepError */
export async function embedTexts(
  model: ResolvedModel,
  { texts, signal }: Omit<EmbeddingRequest, 'model'>,
): Promise<EmbeddingResponse> {
  checkSizes(texts);
  const modelUsed = modelUsedOf(model);
  const client = await clientOf(JSON.stringify(model));
  const { vectors, tokens } = await request(client, texts, signal).catch(async (error) => {
    const { toStepError } = await import('./model-error.ts');
    throw toStepError(error, model, signal);
  });
  checkVectors(vectors, texts.length, modelUsed);
  const counted = usageFrom({ inputTokens: tokens, outputTokens: 0 }, modelUsed);
  const price = counted ? await priceOf(model) : null;
  return {
    vectors: vectors.map((vector) => vector.map(shortened)),
    modelUsed,
    promptTokens: counted?.inputTokens ?? 0,
    estimatedCost: price && counted ? costOf(price, counted) : null,
  };
}

/** As many requests as the provider needs for so many texts. `tokens` is undefined where it does not count them all. */
async function request(client: EmbeddingModelV4, texts: readonly string[], abortSignal: AbortSignal) {
  const perCall = (await client.maxEmbeddingsPerCall) ?? textsMax;
  const atOnce = (await client.supportsParallelCalls) ? parallelMax : 1;
  const chunks = chunksOf(texts, perCall);
  const answers: Awaited<ReturnType<typeof client.doEmbed>>[] = [];
  await forEachConcurrently(chunks.entries(), atOnce, async ([index, values]) => {
    answers[index] = await withRetries(
      () => client.doEmbed({ values: [...values], abortSignal }),
      abortSignal,
    );
  });
  const tokens = answers.reduce<number | undefined>(
    (sum, { usage }) => (sum === undefined || !usage ? undefined : sum + usage.tokens),
    0,
  );
  return { vectors: answers.flatMap(({ embeddings }) => embeddings), tokens };
}

/** The SDK's client for a model, which is given as JSON. */
const clientOf = memoise(
  (model): Promise<EmbeddingModelV4> => {
    const { provider: name, modelId, credentials } = JSON.parse(model) as ResolvedModel;
    const provider: Provider = providers[name];
    if (provider.embedding) return provider.embedding(modelId, credentials);
    const able = providerNames.filter((each) => 'embedding' in providers[each]).join(', ');
    throw new StepError(`The model provider ${name} makes no embeddings; these do: ${able}`);
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

/** @throws StepError unless there is a vector for each text, all of one length. That they are numbers the SDK checks. */
function checkVectors(vectors: readonly (readonly number[])[], expected: number, modelUsed: string): void {
  if (vectors.length !== expected) {
    throw new StepError(
      `${modelUsed} gave no usable answer: ${vectors.length} vectors for ${expected} texts`,
      {
        retryable: true,
      },
    );
  }
  const [{ length: wanted } = { length: 0 }] = vectors;
  if (wanted > 0 && vectors.every(({ length }) => length === wanted)) return;
  throw new StepError(`${modelUsed} gave no usable answer: vectors that are empty, or of different lengths`, {
    retryable: true,
  });
}

/** Nine digits hold a 32-bit float exactly, in half the room that JSON takes for a number. */
const shortened = (value: number) => Number(value.toPrecision(9));
