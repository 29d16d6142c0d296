import type { DeploymentKeys } from './provider-keys.ts';
import type { ProviderName } from './provider-names.ts';

/** The account for a call, and its URL if that is not the provider's own. */
export interface ModelCredentials {
  apiKey?: string | undefined;
  baseUrl?: string | undefined;
  /** The AWS region of Bedrock. */
  region?: string | undefined;
  /** Bedrock without a key: signs with the Lambda's own role. Never set it for a server that a tenant names. */
  ownRole?: boolean | undefined;
  /** A tenant set the base URL: it must be a public address. */
  guarded?: boolean | undefined;
}

type Key = keyof DeploymentKeys;

const variables = {
  openai: { apiKey: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
  anthropic: { apiKey: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL' },
  google: { apiKey: 'GOOGLE_GENERATIVE_AI_API_KEY', baseUrl: 'GOOGLE_GENERATIVE_AI_BASE_URL' },
  // The AWS SDK's name.
  bedrock: { apiKey: 'AWS_BEARER_TOKEN_BEDROCK', baseUrl: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME' },
  xai: { apiKey: 'XAI_API_KEY', baseUrl: 'XAI_BASE_URL' },
  groq: { apiKey: 'GROQ_API_KEY', baseUrl: 'GROQ_BASE_URL' },
  togetherai: { apiKey: 'TOGETHER_API_KEY', baseUrl: 'TOGETHER_BASE_URL' },
  mistral: { apiKey: 'MISTRAL_API_KEY', baseUrl: 'MISTRAL_BASE_URL' },
  'generic-openai': { apiKey: 'GENERIC_OPENAI_API_KEY', baseUrl: 'GENERIC_OPENAI_BASE_URL' },
} satisfies Record<ProviderName, { apiKey: Key; baseUrl: Key }>;

/** Where the deployment reaches a provider; undefined for the provider's own address. */
export const deploymentUrl = (provider: ProviderName, keys: DeploymentKeys): string | undefined =>
  keys[variables[provider].baseUrl] || undefined;

/** The deployment's credentials for a provider; undefined if the deployment does not configure it. */
export function deploymentCredentials(
  provider: ProviderName,
  keys: DeploymentKeys,
): ModelCredentials | undefined {
  const apiKey = keys[variables[provider].apiKey] || undefined;
  const account = { apiKey, baseUrl: deploymentUrl(provider, keys) };
  if (provider === 'generic-openai') return account.baseUrl ? account : undefined;
  if (provider !== 'bedrock') return apiKey ? account : undefined;
  const region = keys.BEDROCK_REGION || undefined;
  if (apiKey) return { ...account, region };
  return region ? { ...account, region, ownRole: true } : undefined;
}

/** What to set so that the deployment configures a provider. */
export function nameRequiredSetting(provider: ProviderName): string {
  if (provider === 'generic-openai') return variables[provider].baseUrl;
  return provider === 'bedrock' ? 'AWS_BEARER_TOKEN_BEDROCK or BEDROCK_REGION' : variables[provider].apiKey;
}
