import type { EmbeddingModel, LanguageModel } from 'ai';
import { embeddingFetch, modelFetch } from './model-fetch.ts';
import type { ProviderKeys } from './provider-keys.ts';

export interface Provider {
  /** What has to be set for the provider to be usable. */
  requires: keyof ProviderKeys;
  /** Its name in the price catalog; a generic server has the one that its address belongs to, if any. */
  catalog: (keys: ProviderKeys) => { providerId: string } | { providerApiUrl: string };
  /** The SDK of a provider is loaded by the first call that goes there. */
  model: (modelId: string, keys: ProviderKeys) => Promise<LanguageModel>;
  /** Absent where the provider makes no embeddings. */
  embedding?: (modelId: string, keys: ProviderKeys) => Promise<EmbeddingModel>;
}

/** OpenAI's models that chat completions do not serve. */
const responsesOnly = /-pro\b|codex|deep-research/;

export const providers = {
  openai: {
    requires: 'OPENAI_API_KEY',
    catalog: () => ({ providerId: 'openai' }),
    async model(modelId, keys) {
      const openai = await openaiWith(keys, modelFetch);
      // Chat completions honour seed and penalties, and every server that speaks OpenAI's language has them.
      return responsesOnly.test(modelId) ? openai.responses(modelId) : openai.chat(modelId);
    },
    embedding: async (modelId, keys) => (await openaiWith(keys, embeddingFetch)).embeddingModel(modelId),
  },
  anthropic: {
    requires: 'ANTHROPIC_API_KEY',
    catalog: () => ({ providerId: 'anthropic' }),
    async model(modelId, { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL }) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const settings = given({ apiKey: ANTHROPIC_API_KEY, baseURL: ANTHROPIC_BASE_URL });
      return createAnthropic({ ...settings, fetch: modelFetch })(modelId);
    },
  },
  google: {
    requires: 'GOOGLE_GENERATIVE_AI_API_KEY',
    catalog: () => ({ providerId: 'google' }),
    model: async (modelId, keys) => (await googleWith(keys, modelFetch))(modelId),
    embedding: async (modelId, keys) => (await googleWith(keys, embeddingFetch)).embeddingModel(modelId),
  },
  'generic-openai': {
    requires: 'GENERIC_OPENAI_BASE_URL',
    catalog: ({ GENERIC_OPENAI_BASE_URL = '' }) => ({ providerApiUrl: GENERIC_OPENAI_BASE_URL }),
    model: async (modelId, keys) => (await genericWith(keys, modelFetch)).chatModel(modelId),
    embedding: async (modelId, keys) => (await genericWith(keys, embeddingFetch)).embeddingModel(modelId),
  },
} satisfies Record<string, Provider>;

export type ProviderName = keyof typeof providers;
export const providerNames = Object.keys(providers) as ProviderName[];

export const isProviderName = (name: string): name is ProviderName => Object.hasOwn(providers, name);

type Fetch = typeof modelFetch;

async function openaiWith({ OPENAI_API_KEY, OPENAI_BASE_URL }: ProviderKeys, fetch: Fetch) {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI({ ...given({ apiKey: OPENAI_API_KEY, baseURL: OPENAI_BASE_URL }), fetch });
}

async function googleWith({ GOOGLE_GENERATIVE_AI_API_KEY }: ProviderKeys, fetch: Fetch) {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  return createGoogleGenerativeAI({ ...given({ apiKey: GOOGLE_GENERATIVE_AI_API_KEY }), fetch });
}

async function genericWith(
  { GENERIC_OPENAI_BASE_URL = '', GENERIC_OPENAI_API_KEY }: ProviderKeys,
  fetch: Fetch,
) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const settings = { name: 'generic-openai', baseURL: GENERIC_OPENAI_BASE_URL, fetch };
  return createOpenAICompatible({ ...settings, ...given({ apiKey: GENERIC_OPENAI_API_KEY }) });
}

/** Without the members that are not set, or set to nothing. */
const given = <T extends object>(settings: T) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };
