import { endianness } from 'node:os';
import { StepError } from '../../../core/errors/step-error.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StreamedBody } from '../../../platform/http/responses/streamed-body.ts';
import { parseTargetName } from '../answers/answerer-name.ts';
import { assertModel } from '../answers/model-answer.ts';
import { wholeJsonBody } from '../answers/streamed-answer.ts';
import { modelNotFound, notSupported, toRequestError } from '../error-form.ts';
import { type ModelRunOwner, modelRuns } from '../model-run.ts';
import type { EmbeddingsBody } from './embedding-schemas.ts';

/** Answers an embeddings request. @throws 404 for an unknown model */
export async function answerEmbeddings(
  scope: Scope,
  owner: ModelRunOwner,
  { model: named, input, encoding_format: format, dimensions }: EmbeddingsBody,
  signal: AbortSignal,
): Promise<StreamedBody> {
  if (parseTargetName(named)) throw notSupported('model', 'Flows and agents have no embeddings');
  const texts = toTexts(input);
  const run = await modelRuns(scope).open(owner);
  const name = named === 'default' ? await defaultModel(run.ports.model) : named;
  await assertModel(run.ports, name);
  const request = { model: name, texts, dimensions: dimensions ?? undefined, signal };
  const { vectors, modelUsed, promptTokens } = await run.embed(request).catch((error) => {
    throw toRequestError(error);
  });
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: format === 'base64' ? base64(vector) : vector,
  }));
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  return wholeJsonBody({ object: 'list', data, model: modelUsed, usage });
}

function toTexts(input: EmbeddingsBody['input']): string[] {
  const texts = [input].flat(2);
  const only = texts.filter((text) => typeof text === 'string');
  if (only.length === texts.length) return only;
  const message =
    'Send texts instead of tokens: this service does not have the tokenizers of all models (LangChain: check_embedding_ctx_length=False)';
  throw notSupported('input', message);
}

const defaultModel = (models: { embeddingModel: () => Promise<string> }): Promise<string> =>
  models.embeddingModel().catch((error) => {
    throw error instanceof StepError ? modelNotFound('default', error.message) : error;
  });

function base64(vector: readonly number[]): string {
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  return (endianness() === 'LE' ? bytes : bytes.swap32()).toString('base64');
}
