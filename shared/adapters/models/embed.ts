/**
 * Embeds texts in as many requests as the provider needs.
 * The sizes of the texts are checked first. Requests run at the same time if the provider supports that; each is
 * admitted by the limits of its model, and retried at most twice after temporary errors, never if the caller retries
 * itself (`provider-call.ts`). If one fails, all do. Vectors are checked and shortened.
 * `model-ports.ts` loads it with the first use.
 */
import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { createLoadingCache } from '../../core/cache.ts';
import { toChunks } from '../../core/chunks.ts';
import { forEachConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { omitUndefined } from '../../core/defined.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../ports/embedding-port.ts';
import { modelPrice } from './catalog.ts';
import { boundCallCost, callCost } from './cost.ts';
import { AdmissionFailed, callProvider, type ModelAdmission } from './provider-call.ts';
import { providerNames } from './providers/provider-names.ts';
import { type Provider, providers } from './providers/providers.ts';
import { hasSpendLimit, qualifyModelName, type ResolvedModel } from './resolved-model.ts';
import { parseUsage, tokensOfText } from './usage.ts';

const textsMax = 500;
const charactersMax = 100_000;
const allCharactersMax = 2_000_000;
/** Concurrent requests of one call. A provider takes at least 100 texts per request. */
const parallelMax = 4;

/** @throws StepError, AdmissionFailed */
export async function embedTexts(
  configured: ResolvedModel,
  { texts, wait, signal, dimensions = configured.dimensions }: Omit<EmbeddingRequest, 'model'>,
  admission?: ModelAdmission,
): Promise<EmbeddingResponse> {
  const model = { ...configured, dimensions };
  checkSizes(texts);
  const modelUsed = qualifyModelName(model);
  const client = await getClient(model);
  const asked = { model, wait, signal };
  const { vectors, tokens } = await request(client, texts, asked, admission).catch(async (error) => {
    if (error instanceof AdmissionFailed || (error instanceof StepError && error.code)) throw error;
    const { toModelCallFailed } = await import('./model-error.ts');
    throw toModelCallFailed(error, model, signal);
  });
  checkVectors(vectors, texts.length, modelUsed);
  const counted = parseUsage({ inputTokens: tokens, outputTokens: 0 }, modelUsed);
  const price = counted ? await modelPrice(model) : null;
  return {
    vectors: vectors.map((vector) => vector.map(shortenNumber)),
    modelUsed,
    keySource: model.keySource,
    ...omitUndefined({ configId: model.configId, providerKeyId: model.providerKeyId }),
    promptTokens: counted?.inputTokens ?? 0,
    estimatedCost: price && counted ? callCost(price, counted) : null,
  };
}

/** Sends as many requests as the provider needs. `tokens` is undefined if the provider does not count all of them. */
async function request(
  client: EmbeddingModelV4,
  texts: readonly string[],
  {
    model,
    wait,
    signal: abortSignal,
  }: { model: ResolvedModel; signal: AbortSignal } & Pick<EmbeddingRequest, 'wait'>,
  admission: ModelAdmission | undefined,
) {
  const { dimensions } = model;
  const perCall = (await client.maxEmbeddingsPerCall) ?? textsMax;
  const atOnce = (await client.supportsParallelCalls) ? parallelMax : 1;
  const chunks = toChunks(texts, perCall);
  const answers: Awaited<ReturnType<typeof client.doEmbed>>[] = [];
  await forEachConcurrently(chunks.entries(), atOnce, async ([index, values]) => {
    const tokens = () => values.reduce((sum, text) => sum + tokensOfText(text), 0);
    const computeUsd = async (inputTokens: number) => {
      const price = await modelPrice(model);
      return price && boundCallCost(price, { inputTokens, outputTokens: 0 });
    };
    const asked = { model, tokens, usd: () => computeUsd(tokens()), wait, signal: abortSignal };
    const { answer, end } = await callProvider(admission, asked, () =>
      client.doEmbed({ values: [...values], abortSignal, ...omitUndefined({ dimensions }) }),
    );
    const used = answer.usage?.tokens;
    const cost = used !== undefined && hasSpendLimit(model) ? await computeUsd(used) : null;
    end({ ...omitUndefined({ tokens: used }), ...(cost !== null && { usd: cost }) });
    answers[index] = answer;
  });
  const tokens = answers.reduce<number | undefined>(
    (sum, { usage }) => (sum === undefined || !usage ? undefined : sum + usage.tokens),
    0,
  );
  return { vectors: answers.flatMap(({ embeddings }) => embeddings), tokens };
}

const clients = createLoadingCache<EmbeddingModelV4>({ entriesMax: 100 });

const getClient = ({ provider: name, modelId, credentials }: ResolvedModel) =>
  clients(JSON.stringify([name, modelId, credentials]), async () => {
    const provider: Provider = providers[name];
    if (provider.embedding) return provider.embedding(modelId, credentials);
    const able = providerNames.filter((each) => 'embedding' in providers[each]).join(', ');
    throw new StepError(`The model provider ${name} has no embeddings; use one of ${able}`);
  });

function checkSizes(texts: readonly string[]): void {
  if (texts.length === 0) throw new StepError('There is no text to embed');
  if (texts.length > textsMax) {
    throw new StepError(
      `${texts.length} texts are too many to embed in one step; the maximum is ${textsMax}`,
    );
  }
  const nth = (index: number) =>
    texts.length === 1 ? 'The text to embed' : `Text ${index} of those to embed`;
  for (const [index, text] of texts.entries()) {
    if (text.trim() === '') throw new StepError(`${nth(index)} is empty`);
    if (text.length > charactersMax) {
      throw new StepError(`${nth(index)} has ${text.length} characters; the maximum is ${charactersMax}`);
    }
  }
  const total = texts.reduce((sum, { length }) => sum + length, 0);
  if (total <= allCharactersMax) return;
  throw new StepError(
    `The texts to embed have ${total} characters; the maximum per step is ${allCharactersMax}`,
  );
}

/** @throws StepError unless each text has a vector of the same length. The SDK checks that they contain numbers. */
function checkVectors(vectors: readonly (readonly number[])[], expected: number, modelUsed: string): void {
  if (vectors.length !== expected) {
    throw new StepError(
      `${modelUsed} returned an unusable response: ${vectors.length} vectors for ${expected} texts`,
      {
        retryable: true,
      },
    );
  }
  const [{ length: wanted } = { length: 0 }] = vectors;
  if (wanted > 0 && vectors.every(({ length }) => length === wanted)) return;
  throw new StepError(
    `${modelUsed} returned an unusable response: vectors that are empty or of different lengths`,
    {
      retryable: true,
    },
  );
}

/** Nine digits represent a 32-bit float exactly, in half the size. */
const shortenNumber = (value: number) => Number(value.toPrecision(9));
