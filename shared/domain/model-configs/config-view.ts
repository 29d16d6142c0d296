import { type Catalog, findOffer } from '../../adapters/models/catalog.ts';
import { type ShownPrice, toShownPrice } from '../../adapters/models/cost.ts';
import { creatorNames, responseFormats, toReasoningCapability } from './capabilities.ts';
import { getConfigExecutor } from './config-changes.ts';
import type { ConfigSettings } from './config-settings.ts';
import { findStatedPrice } from './custom-price.ts';
import { chooseConfigKey, type KeySources } from './key-choice.ts';
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
