import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider';
import { loadOnce } from '../../../core/concurrency/load-once.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { readRoleCredentials } from '../../../platform/aws/role-credentials.ts';
import type { ModelRequest } from '../../ports/model-port.ts';
import type { ModelCredentials } from './credentials.ts';
import type { FetchKind } from './model-fetch.ts';
import type { ProviderName } from './provider-names.ts';

export interface Provider {
  /** Loads the provider's SDK with the first call. */
  model: (modelId: string, credentials: ModelCredentials, api?: string) => Promise<LanguageModelV4>;
  /** Which of several APIs serves a request. */
  apiFor?: (modelId: string, request: ModelRequest) => string;
  /** Absent if the provider has no embeddings. */
  embedding?: (modelId: string, credentials: ModelCredentials) => Promise<EmbeddingModelV4>;
}

/** OpenAI models that the chat completions API does not serve. */
const responsesOnly = /-pro\b|codex|deep-research/;
/** OpenAI models that do not reason in the chat completions API when the request has tools. */
const toolsOrReasoning = /^gpt-5\.(?:[6-9]|[1-9]\d)/;

export const providers = {
  openai: {
    async model(modelId, credentials, api) {
      const openai = await loadOpenai(credentials, 'model');
      return api === 'responses' ? openai.responses(modelId) : openai.chat(modelId);
    },
    // Chat completions support seed and penalties, and every OpenAI-compatible server has them.
    apiFor: (modelId, { tools = [], reasoning = {} }) =>
      responsesOnly.test(modelId) ||
      reasoning.summary ||
      (tools.length > 0 && toolsOrReasoning.test(modelId) && reasoning.effort !== 'none')
        ? 'responses'
        : 'chat',
    embedding: async (modelId, credentials) =>
      (await loadOpenai(credentials, 'embedding')).embeddingModel(modelId),
  },
  anthropic: {
    async model(modelId, credentials) {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const settings = await toSettings(credentials, 'model', 'https://api.anthropic.com/v1');
      return createAnthropic(settings)(modelId);
    },
  },
  google: {
    model: async (modelId, credentials) => (await loadGoogle(credentials, 'model'))(modelId),
    embedding: async (modelId, credentials) =>
      (await loadGoogle(credentials, 'embedding')).embeddingModel(modelId),
  },
  bedrock: {
    async model(modelId, credentials) {
      const { addCachePointAfterTools: withCachePointAfterTools } = await import('./bedrock-tools.ts');
      return withCachePointAfterTools((await loadBedrock(credentials, 'model'))(modelId));
    },
    embedding: async (modelId, credentials) =>
      (await loadBedrock(credentials, 'embedding')).embeddingModel(modelId),
  },
  xai: {
    async model(modelId, credentials) {
      const { createXai } = await import('@ai-sdk/xai');
      return createXai(await toSettings(credentials, 'model'))(modelId);
    },
  },
  groq: {
    async model(modelId, credentials) {
      const { createGroq } = await import('@ai-sdk/groq');
      return createGroq(await toSettings(credentials, 'model'))(modelId);
    },
  },
  togetherai: {
    // The SDK sends a schema to one model only; Together takes it for most.
    model: async (modelId, credentials) =>
      Object.assign((await loadTogether(credentials, 'model')).chatModel(modelId), {
        supportsStructuredOutputs: true,
      }),
    embedding: async (modelId, credentials) =>
      (await loadTogether(credentials, 'embedding')).embeddingModel(modelId),
  },
  mistral: {
    model: async (modelId, credentials) => (await loadMistral(credentials, 'model'))(modelId),
    embedding: async (modelId, credentials) =>
      (await loadMistral(credentials, 'embedding')).embeddingModel(modelId),
  },
  'generic-openai': {
    model: async (modelId, credentials) => (await loadGeneric(credentials, 'model')).chatModel(modelId),
    embedding: async (modelId, credentials) =>
      (await loadGeneric(credentials, 'embedding')).embeddingModel(modelId),
  },
} satisfies Record<ProviderName, Provider>;

const loadFetch = loadOnce(() => import('./model-fetch.ts'));

async function loadOpenai(credentials: ModelCredentials, kind: FetchKind) {
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI(await toSettings(credentials, kind, 'https://api.openai.com/v1'));
}

async function loadGoogle(credentials: ModelCredentials, kind: FetchKind) {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  return createGoogleGenerativeAI(await toSettings(credentials, kind));
}

/** Without a key, the SDK signs with the credentials of the Lambda's own role. */
async function loadBedrock({ ownRole, ...credentials }: ModelCredentials, kind: FetchKind) {
  if (!credentials.apiKey?.trim() && !ownRole) throw new StepError('Amazon Bedrock needs an API key');
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
  const region = credentials.region ?? process.env.AWS_REGION ?? 'us-east-1';
  const signing = ownRole && { credentialProvider: readRoleCredentials };
  return createAmazonBedrock({ ...(await toSettings(credentials, kind)), region, ...signing });
}

async function loadTogether(credentials: ModelCredentials, kind: FetchKind) {
  const { createTogetherAI } = await import('@ai-sdk/togetherai');
  return createTogetherAI(await toSettings(credentials, kind));
}

async function loadMistral(credentials: ModelCredentials, kind: FetchKind) {
  const { createMistral } = await import('@ai-sdk/mistral');
  return createMistral(await toSettings(credentials, kind));
}

async function loadGeneric({ baseUrl = '', ...credentials }: ModelCredentials, kind: FetchKind) {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const settings = await toSettings(credentials, kind);
  return createOpenAICompatible({
    name: 'generic-openai',
    baseURL: baseUrl,
    // Ollama, vLLM and LM Studio take a schema.
    supportsStructuredOutputs: true,
    includeUsage: true,
    ...settings,
  });
}

/**
 * Always gives the key, also an empty one: the SDKs would fall back to the deployment's key in the environment, which
 * must not reach a server of a tenant. @param ownUrl For SDKs that would look into the environment for it (D126).
 */
const toSettings = async (
  { apiKey = '', baseUrl = '', guarded = false }: ModelCredentials,
  kind: FetchKind,
  ownUrl = '',
) => ({
  apiKey,
  ...((baseUrl || ownUrl) && { baseURL: baseUrl || ownUrl }),
  fetch: (await loadFetch()).makeModelFetch(kind, guarded),
});
