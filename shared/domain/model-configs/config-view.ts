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
import type { ProviderName } from '../../adapters/models/providers/provider-names.ts';
import { getConfigExecutor } from './config-changes.ts';
import type { ConfigSettings } from './config-settings.ts';
import { chooseConfigKey, type KeySources, type KeyStatus } from './key-choice.ts';
import type { ModelConfig } from './model-account.ts';

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
