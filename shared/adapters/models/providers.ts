import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider';
import { loadOnce } from '../../core/load-once.ts';
import type { ProviderKeys } from './provider-keys.ts';

/** The account for a call, and its URL if that is not the provider's own. */
export interface Credentials {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
}

export interface Provider {
  /** The variable that configures the provider. */
  requires: keyof ProviderKeys;
  /** The deployment's credentials. */
  credentials: (keys: ProviderKeys) => Credentials;
  /** Loads the provider's SDK with the first call. */
  model: (modelId: string, credentials: Credentials) => Promise<LanguageModelV4>;
  /** Absent if the provider has no embeddings. */
  embedding?: (modelId: string, credentials: Credentials) => Promise<EmbeddingModelV4>;
}

/** OpenAI models that the chat completions API does not serve. */
const responsesOnly = /-pro\b|codex|deep-research/;

export const providers = {
  openai: {
    requires: 'OPENAI_API_KEY',
    credentials: ({ OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl }) => ({ apiKey, baseUrl }),
    async model(modelId, credentials) {
      const openai = await openaiWith(credentials, 'modelFetch');
      // Chat completions support seed and penalties, and every OpenAI-compatible server has them.
      return responsesOnly.test(modelId) ? openai.responses(modelId) : openai.chat(modelId);
    },
    embedding: async (modelId, credentials) =>
      (await openaiWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
  anthropic: {
    requires: 'ANTHROPIC_API_KEY',
    credentials: ({ ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl }) => ({ apiKey, baseUrl }),
    async model(modelId, credentials) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(await settingsOf(credentials, 'modelFetch'))(modelId);
    },
  },
  google: {
    requires: 'GOOGLE_GENERATIVE_AI_API_KEY',
    credentials: ({ GOOGLE_GENERATIVE_AI_API_KEY: apiKey }) => ({ apiKey }),
    model: async (modelId, credentials) => (await googleWith(credentials, 'modelFetch'))(modelId),
    embedding: async (modelId, credentials) =>
      (await googleWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
  'generic-openai': {
    requires: 'GENERIC_OPENAI_BASE_URL',
    credentials: ({ GENERIC_OPENAI_API_KEY: apiKey, GENERIC_OPENAI_BASE_URL: baseUrl }) => ({
      apiKey,
      baseUrl,
    }),
    model: async (modelId, credentials) => (await genericWith(credentials, 'modelFetch')).chatModel(modelId),
    embedding: async (modelId, credentials) =>
      (await genericWith(credentials, 'embeddingFetch')).embeddingModel(modelId),
  },
} satisfies Record<string, Provider>;

export type ProviderName = keyof typeof providers;
export const providerNames = Object.keys(providers) as ProviderName[];

export const isProviderName = (name: string): name is ProviderName => Object.hasOwn(providers, name);

const loadFetches = loadOnce(() => import('./model-fetch.ts'));
type FetchName = 'modelFetch' | 'embeddingFetch';

async function openaiWith(credentials: Credentials, fetch: FetchName) {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI(await settingsOf(credentials, fetch));
}

async function googleWith(credentials: Credentials, fetch: FetchName) {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  return createGoogleGenerativeAI(await settingsOf(credentials, fetch));
}

async function genericWith({ apiKey, baseUrl = '' }: Credentials, fetch: FetchName) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const settings = await settingsOf({ apiKey }, fetch);
  return createOpenAICompatible({ name: 'generic-openai', baseURL: baseUrl, ...settings });
}

/** The SDK's settings, without empty ones. */
const settingsOf = async ({ apiKey, baseUrl }: Credentials, fetch: FetchName) => ({
  ...(apiKey && { apiKey }),
  ...(baseUrl && { baseURL: baseUrl }),
  fetch: (await loadFetches())[fetch],
});
