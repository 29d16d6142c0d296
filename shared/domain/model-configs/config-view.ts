/**
 * A model config: how it is built and checked, which key its calls use, and how the API shows it.
 * The key of a call is the tenant's (the named one, else the default of the provider, else the oldest active), else the
 * deployment's. A config that names a key uses no other one, and a server of the tenant's own never gets a key of the
 * deployment; a choice that cannot be made has the reason as a sentence that says what to do.
 * Everything is pure: the catalog, the account and the deployment's keys come in as parameters. `config-store.ts`
 * writes configs, `select-model.ts` and `model-resolver.ts` choose models and keys for calls, `catalog-lists.ts` shows
 * models with the same members.
 */
import Big from 'big.js';
import { type Catalog, findOffer, type ModelOffer } from '../../adapters/models/catalog.ts';
import { type ModelPrice, type ShownPrice, toShownPrice } from '../../adapters/models/cost.ts';
import {
  deploymentCredentials,
  type ModelCredentials,
  nameRequiredSetting,
} from '../../adapters/models/providers/credentials.ts';
import type { DeploymentKeys } from '../../adapters/models/providers/provider-keys.ts';
import type { ProviderName } from '../../adapters/models/providers/provider-names.ts';
import { invalidAt, notFound } from '../../core/errors/errors.ts';
import { getIdCreatedAt } from '../../core/ids.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { AuditEvent } from '../../platform/identity/audit.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { type CallLimitsChange, mergeLimits } from '../throttles/limits.ts';
import type { ConfigSettings } from './config-settings.ts';
import {
  type KeyProvider,
  listActiveKeys,
  type ModelAccount,
  type ModelConfig,
  type ProviderKey,
} from './model-account.ts';

export function toConfigView(catalog: Catalog, sources: KeySources, config: ModelConfig, isDefault: boolean) {
  const { provider, modelId, settings, organizationId } = config;
  const { customModel } = settings;
  const executor = getConfigExecutor(config);
  const called = findOffer(catalog, executor, nameOnTheWire(config));
  const offer = called ?? findOffer(catalog, provider, modelId);
  const creator = offer && catalog.base(offer.base)?.creator;
  const { status: keyStatus } = chooseConfigKey(sources, config);
  const stated = findStatedPrice(settings, keyStatus, called);
  const price = stated ? toShownPrice(stated) : offer?.shown;
  return {
    ...config,
    limits: config.limits ?? {},
    isDefault,
    configScope: organizationId ? 'organization' : 'user',
    keyStatus,
    displayName: customModel?.displayName ?? offer?.name ?? modelId,
    ...(creator && { creator, creatorDisplayName: creatorNames[creator] ?? creator }),
    ...(price && toShownCosts(price)),
    ...toLimit(customModel?.maxOutputTokens ?? offer?.maxOutput),
    ...(offer && { reasoningCapability: toReasoningCapability({ ...offer, provider: executor }) }),
    supportedResponseFormats: customModel?.supportedResponseFormats ?? responseFormats,
    supportsCustomKey: true,
    // The built-in web search is a tool.
    supportsSearch: offer?.tools ?? false,
    supportsStreaming: customModel?.supportsStreaming ?? true,
  };
}
export type ConfigView = ReturnType<typeof toConfigView>;

export const nameOnTheWire = ({ modelId, settings }: { modelId: string; settings: ConfigSettings }) =>
  settings.customModel?.executorConfig?.modelMapping ?? modelId;

export const toShownCosts = ({ input, output, blended }: ShownPrice) => ({
  costPer1kTokens: blended,
  inputCostPer1kTokens: input,
  outputCostPer1kTokens: output,
});

/** Embedding models have no output. */
const toLimit = (maxOutputTokens: number | undefined) => (maxOutputTokens ? { maxOutputTokens } : {});

export interface NewConfig {
  provider: ProviderName;
  modelId: string;
  providerKeyId?: string | undefined;
  settings?: ConfigSettings | undefined;
  limits?: CallLimitsChange | undefined;
}

/** Missing members stay unchanged. */
export interface ConfigInput {
  isDefault?: boolean | undefined;
  isEnabled?: boolean | undefined;
  providerKeyId?: string | null | undefined;
  settings?: ConfigSettings | undefined;
  limits?: CallLimitsChange | undefined;
}

export function buildModelConfig(
  { newId }: Pick<Scope, 'newId'>,
  { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
  { provider, modelId, providerKeyId, settings = {}, limits }: NewConfig,
): ModelConfig {
  const id = newId('modelcfg');
  const at = getIdCreatedAt(id);
  return {
    id,
    provider,
    modelId,
    settings,
    limits: mergeLimits({}, limits),
    isEnabled: true,
    providerKeyId: providerKeyId ?? null,
    userId,
    organizationId,
    createdAt: at,
    updatedAt: at,
  };
}

/** Whose protocol and keys a config uses. */
export const getConfigExecutor = ({
  provider,
  settings,
}: Pick<ModelConfig, 'provider' | 'settings'>): ProviderName =>
  settings.customModel?.executorProvider ?? provider;

/** @throws 404 */
export function findConfig({ configs }: ModelAccount, id: string): ModelConfig {
  const config = configs.find((each) => each.id === id);
  if (!config) throw notFound('Model config');
  return config;
}

/** @throws 400 unless the catalog lists the model, or the config says what it costs. */
export function assertKnownModel(catalog: Catalog, { provider, modelId, settings }: ModelConfig): void {
  if (provider === 'generic-openai' || settings.customModel || catalog.offer(provider, modelId)) return;
  const message = `The catalog lists no model ${modelId} of ${provider}; see GET /v1/model-configs/available, or describe the model in settings.customModel`;
  throw invalidAt('modelId', 'INVALID_VALUE', message);
}

/** @throws 400 unless the key is the tenant's and of the provider that the config calls. */
export function assertOwnKey({ keys }: ModelAccount, config: ModelConfig): void {
  const { providerKeyId } = config;
  if (providerKeyId === null) return;
  const key = keys.find(({ id }) => id === providerKeyId);
  const executor = getConfigExecutor(config);
  if (key?.provider === executor) return;
  const message = key
    ? `The provider key is of ${key.provider}, but the config calls ${executor}`
    : 'There is no such provider key; see GET /v1/provider-keys';
  throw invalidAt('providerKeyId', 'INVALID_VALUE', message);
}

export const createConfigEvent = (
  verb: 'created' | 'provisioned' | 'updated' | 'deleted',
  { id, provider, modelId }: ModelConfig,
): AuditEvent => ({
  action: `model-config.${verb}`,
  targetId: id,
  details: { provider, modelId },
});

/** Exactly the decimals of the request. Undefined if it states none, or if the deployment pays for a model of the catalog. */
export function findStatedPrice(
  { customModel }: ConfigSettings,
  status: KeyStatus,
  offer: ModelOffer | undefined,
): ModelPrice | undefined {
  if (!customModel || (status === 'platform' && offer)) return undefined;
  const { inputCostPer1kTokens, outputCostPer1kTokens } = customModel;
  const toPerMillion = (perThousand: number) => new Big(perThousand).times(1_000).toFixed();
  return { input: toPerMillion(inputCostPer1kTokens), output: toPerMillion(outputCostPer1kTokens) };
}

interface ReasoningCapability {
  supported: boolean;
  provider?: string;
  supportsReasoningSummary?: boolean;
  googleThinkingMode?: 'budget' | 'level';
}

/** Providers that return a text of a model's reasoning. */
const withSummary: readonly ProviderName[] = ['openai', 'anthropic', 'google', 'bedrock', 'xai'];

/** What a model can do about reasoning, for the settings that a user interface offers. */
export function toReasoningCapability({
  provider,
  id,
  reasoning,
}: Pick<ModelOffer, 'id' | 'reasoning'> & { provider: ProviderName }) {
  if (!reasoning) return { supported: false };
  const capability: ReasoningCapability = {
    supported: true,
    provider,
    supportsReasoningSummary: withSummary.includes(provider),
    // Gemini 2.5 takes a number of tokens, later models a level.
    ...(provider === 'google' && { googleThinkingMode: id.startsWith('gemini-2.5') ? 'budget' : 'level' }),
  };
  return capability;
}

/** The formats that a prompt may ask any model for: providers without one of their own get instructions. */
export const responseFormats = ['text', 'JSON'];

export const creatorNames: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  xai: 'xAI',
  mistral: 'Mistral AI',
  meta: 'Meta',
  amazon: 'Amazon',
  alibaba: 'Alibaba Cloud',
  deepseek: 'DeepSeek',
  moonshot: 'Moonshot AI',
  minimax: 'MiniMax',
  nvidia: 'NVIDIA',
  zai: 'Z.ai',
  writer: 'Writer',
  cohere: 'Cohere',
  thinkingmachines: 'Thinking Machines',
  reflection: 'Reflection AI',
};

export type KeyStatus = 'platform' | 'custom' | 'needs_setup';

/** Which account pays for a call. Without a key, the tenant's own server is called without one. */
export type KeyChoice =
  /** `baseUrl` takes the place of the key's own. */
  | { status: 'custom'; key?: ProviderKey | undefined; baseUrl?: string | undefined }
  | { status: 'platform'; credentials: ModelCredentials }
  /** `reason` is a sentence that says what to do. */
  | { status: 'needs_setup'; reason: string };

/** What the tenant and the deployment have. */
export interface KeySources {
  account: ModelAccount;
  deployment: DeploymentKeys;
}

/** The tenant's key for a provider: the default one, else the longest-existing active one. */
export function findOwnKey(account: ModelAccount, provider: KeyProvider): ProviderKey | undefined {
  const active = listActiveKeys(account, provider);
  return active.find(({ id }) => id === account.defaults.providerKeyIds[provider]) ?? active[0];
}

/** The key for a provider's models: the tenant's, else the deployment's. */
export function chooseKey({ account, deployment }: KeySources, provider: ProviderName): KeyChoice {
  const key = findOwnKey(account, provider);
  if (key) return { status: 'custom', key };
  const credentials = deploymentCredentials(provider, deployment);
  if (credentials) return { status: 'platform', credentials };
  const reason = `The model provider ${provider} is not configured: store a key through POST /v1/provider-keys, or let the deployment set ${nameRequiredSetting(provider)}`;
  return { status: 'needs_setup', reason };
}

/** The key for a config. A config that names a key uses no other one, and a tenant's server never gets the deployment's. */
export function chooseConfigKey(sources: KeySources, config: ModelConfig): KeyChoice {
  const provider = getConfigExecutor(config);
  const server = config.settings.customModel?.executorConfig?.baseURL;
  const choice = config.providerKeyId ? findNamedKey(sources.account, config) : chooseKey(sources, provider);
  if (server === undefined || (config.providerKeyId && choice.status !== 'custom')) return choice;
  if (choice.status === 'custom') return { ...choice, baseUrl: server };
  if (provider === 'generic-openai') return { status: 'custom', baseUrl: server };
  const reason = `The model config ${config.id} calls ${new URL(server).host}, which never gets a key of the deployment: store a key of ${provider} through POST /v1/provider-keys`;
  return { status: 'needs_setup', reason };
}

function findNamedKey({ keys }: ModelAccount, { id, providerKeyId }: ModelConfig): KeyChoice {
  const key = keys.find((each) => each.id === providerKeyId);
  if (key?.isActive) return { status: 'custom', key };
  const state = key ? 'is inactive' : 'was deleted';
  const reason = `The provider key of the model config ${id} ${state}: choose another one through PUT /v1/model-configs/${id}`;
  return { status: 'needs_setup', reason };
}
