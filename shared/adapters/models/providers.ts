import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider';
import { loadOnce } from '../../core/load-once.ts';
import { StepError } from '../../core/step-error.ts';
import type { Credentials } from './credentials.ts';
import type { ProviderName } from './provider-names.ts';

export interface Provider {
  /** Loads the provider's SDK with the first call. */
  model: (modelId: string, credentials: Credentials) => Promise<LanguageModelV4>;
  /** Absent if the provider has no embeddings. */
  embedding?: (modelId: string, credentials: Credentials) => Promise<EmbeddingModelV4>;
}

/** OpenAI models that the chat completions API does not serve. */
const responsesOnly = /-pro\b|codex|deep-research/;

export const providers = {
  openai: {
    async model(modelId, credentials) {
      const openai = await openaiWith(credentials, 'modelFetch');
      // Chat completions support seed and penalties, and every OpenAI-compatible server has them.
      return responsesOnly.test(modelId) ? openai.responses(modelId) : openai.chat(modelId);
    },
    embedding: async (modelId, credentials) =>
      (await openaiWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
  anthropic: {
    async model(modelId, credentials) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const settings = await settingsOf(credentials, 'modelFetch', 'https://api.anthropic.com/v1');
      return createAnthropic(settings)(modelId);
    },
  },
  google: {
    model: async (modelId, credentials) => (await googleWith(credentials, 'modelFetch'))(modelId),
    embedding: async (modelId, credentials) =>
      (await googleWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
  bedrock: {
    model: async (modelId, credentials) => (await bedrockWith(credentials, 'modelFetch'))(modelId),
    embedding: async (modelId, credentials) =>
      (await bedrockWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
  xai: {
    async model(modelId, credentials) {
      const { createXai } = await import('@ai-sdk/xai');
      return createXai(await settingsOf(credentials, 'modelFetch'))(modelId);
    },
  },
  groq: {
    async model(modelId, credentials) {
      const { createGroq } = await import('@ai-sdk/groq');
      return createGroq(await settingsOf(credentials, 'modelFetch'))(modelId);
    },
  },
  togetherai: {
    model: async (modelId, credentials) => (await togetherWith(credentials, 'modelFetch'))(modelId),
    embedding: async (modelId, credentials) =>
      (await togetherWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
  mistral: {
    model: async (modelId, credentials) => (await mistralWith(credentials, 'modelFetch'))(modelId),
    embedding: async (modelId, credentials) =>
      (await mistralWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
  'generic-openai': {
    model: async (modelId, credentials) => (await genericWith(credentials, 'modelFetch')).chatModel(modelId),
    embedding: async (modelId, credentials) =>
      (await genericWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
} satisfies Record<ProviderName, Provider>;

const loadFetches = loadOnce(() => import('./model-fetch.ts'));
type FetchName = 'modelFetch' | 'embeddingFetch';

async function openaiWith(credentials: Credentials, fetch: FetchName) {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI(await settingsOf(credentials, fetch, 'https://api.openai.com/v1'));
}

async function googleWith(credentials: Credentials, fetch: FetchName) {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  return createGoogleGenerativeAI(await settingsOf(credentials, fetch));
}

/** Without a key, the SDK signs with the credentials in the environment, which are the Lambda's own role. */
async function bedrockWith({ ownRole, ...credentials }: Credentials, fetch: FetchName) {
  if (!credentials.apiKey?.trim() && !ownRole) throw new StepError('Amazon Bedrock needs an API key');
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
  const region = credentials.region ?? process.env.AWS_REGION ?? 'us-east-1';
  return createAmazonBedrock({ ...(await settingsOf(credentials, fetch)), region });
}

async function togetherWith(credentials: Credentials, fetch: FetchName) {
  const { createTogetherAI } = await import('@ai-sdk/togetherai');
  return createTogetherAI(await settingsOf(credentials, fetch));
}

async function mistralWith(credentials: Credentials, fetch: FetchName) {
  const { createMistral } = await import('@ai-sdk/mistral');
  return createMistral(await settingsOf(credentials, fetch));
}

async function genericWith({ baseUrl = '', ...credentials }: Credentials, fetch: FetchName) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const settings = await settingsOf(credentials, fetch);
  return createOpenAICompatible({ name: 'generic-openai', baseURL: baseUrl, ...settings });
}

/**
 * The SDK's settings. The key is always given, also an empty one: the SDKs would fall back to the deployment's key in
 * the environment, which must not reach a server that a tenant names.
 * @param ownUrl The provider's address, for SDKs that would look into the environment for it.
 */
const settingsOf = async ({ apiKey = '', baseUrl = '' }: Credentials, fetch: FetchName, ownUrl = '') => ({
  apiKey,
  ...((baseUrl || ownUrl) && { baseURL: baseUrl || ownUrl }),
  fetch: (await loadFetches())[fetch],
});
