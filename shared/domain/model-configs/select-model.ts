import { type Catalog, type ListedOffer, offerAt } from '../../adapters/models/catalog.ts';
import type { ModelPrice } from '../../adapters/models/cost.ts';
import { foldedModelName, plainModelName } from '../../adapters/models/model-name.ts';
import {
  isProviderName,
  type ProviderName,
  providerNames,
} from '../../adapters/models/providers/provider-names.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { configExecutor } from './config-changes.ts';
import { nameOnTheWire } from './config-view.ts';
import { statedPrice } from './custom-price.ts';
import { firstUsableOffer } from './default-config.ts';
import { type KeyChoice, type KeySources, keyFor, keyForConfig } from './key-choice.ts';
import { isConfigId, type ModelConfig } from './model-account.ts';

export interface ModelSelection {
  provider: ProviderName;
  /** As sent to the provider. */
  modelId: string;
  key: Exclude<KeyChoice, { status: 'needs_setup' }>;
  config?: ModelConfig | undefined;
  price?: ModelPrice | undefined;
}

export interface Selecting extends KeySources {
  catalog: Catalog;
}

/**
 * Selects by the id of a config, `default`, `<provider>/<modelId>`, or a name from the catalog, which means the
 * cheapest configured provider, else a generic server; however the name is spelled. @throws StepError
 */
export function selectModel(given: string, world: Selecting): ModelSelection {
  const { catalog, account } = world;
  const name = plainModelName(given);
  if (name === '') throw new StepError('The name of the model is empty; write it as <provider>/<model>');
  if (foldedModelName(name) === 'default') return defaultModel(world);
  if (isConfigId(name)) return ofConfig(configNamed(name, world), world);
  const [, provider = '', modelId = ''] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  const known = provider.toLowerCase();
  if (isProviderName(known)) return ofProvider(known, withoutProvider(known, modelId), world);
  if (catalog.offersNamed(name).length > 0) return cheapest(name, world);
  const own = account.configs.find((config) => isNamed(config.modelId, name));
  if (own) return ofProvider(own.provider, own.modelId, world);
  if (provider) {
    throw new StepError(
      `There is no model provider ${provider}; expected one of ${providerNames.join(', ')}`,
    );
  }
  throw new StepError(
    `The catalog has no model ${name}; write models outside of the catalog as <provider>/${name}`,
  );
}

/** The same base model at the other configured providers, cheapest first, as `<provider>/<modelId>`. */
export function alternativesTo(
  { provider, modelId }: Pick<ModelSelection, 'provider' | 'modelId'>,
  world: Selecting,
): string[] {
  const { catalog } = world;
  const base = catalog.offer(provider, modelId)?.base;
  if (base === undefined) return [];
  const others = catalog
    .offersNamed(base)
    .filter((offer) => offer.provider !== provider && offer.base === base);
  return usableOffers(others, world).map(({ offer }) => `${offer.provider}/${offer.id}`);
}

function defaultModel(world: Selecting): ModelSelection {
  const { configs, defaults } = world.account;
  const config = configs.find(({ id }) => id === defaults.modelConfigId);
  if (config) return ofConfig(config, world);
  // The first list of the configs creates the default one from the same choice.
  const { provider, id } = firstUsableOffer(world.catalog, world);
  return ofProvider(provider, id, world);
}

function configNamed(id: string, { account }: KeySources): ModelConfig {
  const config = account.configs.find((each) => each.id === id);
  if (config) return config;
  throw new StepError(`There is no model config ${id}; GET /v1/model-configs lists them`);
}

function ofConfig(config: ModelConfig, world: Selecting): ModelSelection {
  if (!config.isEnabled) throw disabled(config);
  const key = keyForConfig(world, config);
  if (key.status === 'needs_setup') throw new StepError(key.reason);
  const [provider, modelId] = [configExecutor(config), nameOnTheWire(config)];
  const price = statedPrice(config.settings, key.status, offerAt(world.catalog, provider, modelId));
  return { provider, modelId, key, config, price };
}

const disabled = ({ id, provider, modelId }: ModelConfig) =>
  new StepError(
    `The model config ${id} (${provider}/${modelId}) is disabled; enable it through PATCH /v1/model-configs/${id}/status`,
  );

const isNamed = (one: string, other: string) => foldedModelName(one) === foldedModelName(other);

/** Some servers take their own name in front of a model's. */
function withoutProvider(provider: ProviderName, modelId: string): string {
  const prefix = `${provider}/`;
  return provider === 'generic-openai' && modelId.toLowerCase().startsWith(prefix)
    ? withoutProvider(provider, modelId.slice(prefix.length))
    : modelId;
}

/** The config of a model applies to it by whatever name: its key, its settings, and whether it is disabled. */
function ofProvider(provider: ProviderName, modelId: string, world: Selecting): ModelSelection {
  const { defaults } = world.account;
  const all = configsOf(provider, modelId, world);
  const enabled = all.filter(({ isEnabled }) => isEnabled);
  const config = enabled.find(({ id }) => id === defaults.modelConfigId) ?? enabled[0] ?? all[0];
  const listed = world.catalog.offer(provider, modelId)?.id;
  const isDated = listed !== undefined && !isNamed(listed, modelId);
  if (config) {
    const selection = ofConfig(config, world);
    const isOfUndated = isDated && isNamed(selection.modelId, listed);
    return isOfUndated ? { ...selection, modelId } : selection;
  }
  const key = keyFor(world, provider);
  if (key.status === 'needs_setup') throw new StepError(key.reason);
  return { provider, modelId: isDated ? modelId : (listed ?? modelId), key };
}

/** Those of exactly this name, else of another spelling, else that call the model, or the one without the date, by it. */
function configsOf(provider: ProviderName, modelId: string, { account, catalog }: Selecting): ModelConfig[] {
  const { configs } = account;
  const own = configs.filter((config) => config.provider === provider);
  const onSameServer = configs.filter(
    (config) => configExecutor(config) === provider && !config.settings.customModel?.executorConfig?.baseURL,
  );
  const undated = catalog.offer(provider, modelId)?.id ?? modelId;
  const candidates = [
    own.filter((config) => config.modelId === modelId),
    own.filter((config) => isNamed(config.modelId, modelId)),
    onSameServer.filter((config) => isNamed(nameOnTheWire(config), modelId)),
    own.filter((config) => isNamed(config.modelId, undated)),
  ];
  return candidates.find((some) => some.length > 0) ?? [];
}

/**
 * Why a budget that blocks does not pay for a model without a price: nothing is known of its name, so that it may be
 * another name of a model that has one. Undefined for models that are known to have none (D72).
 */
export function unknownToBudgets(
  { provider, modelId, config }: ModelSelection,
  { account, catalog }: Selecting,
): string | undefined {
  if (config || offerAt(catalog, provider, modelId)) return undefined;
  // What a server of the tenant or the deployment has is known only where somebody has described it.
  const isDescribed = account.configs.some(
    (each) => configExecutor(each) === provider && each.settings.customModel !== undefined,
  );
  if (provider === 'generic-openai' && !isDescribed) return undefined;
  return `A budget limits this call, but neither the catalog nor a model config knows a price of ${provider}/${modelId}. Give it one with settings.customModel of POST /v1/model-configs, or call a model that GET /v1/model-configs lists`;
}

function cheapest(name: string, world: Selecting): ModelSelection {
  const offers = world.catalog.offersNamed(name);
  const [best] = usableOffers(offers, world);
  if (best) return best.selection;
  const isDisabled = offers.flatMap(({ provider, id }) =>
    world.account.configs.filter(
      (config) => config.provider === provider && isNamed(config.modelId, id) && !config.isEnabled,
    ),
  );
  if (isDisabled[0]) throw disabled(isDisabled[0]);
  if (keyFor(world, 'generic-openai').status !== 'needs_setup')
    return ofProvider('generic-openai', name, world);
  const providers = [...new Set(offers.map(({ provider }) => provider))].join(', ');
  throw new StepError(
    `No configured model provider has ${name}; store a key of ${providers} through POST /v1/provider-keys`,
  );
}

interface Usable {
  offer: ListedOffer;
  selection: ModelSelection;
}

/** Those with a key and without a disabled config, cheapest first. */
function usableOffers(offers: readonly ListedOffer[], world: Selecting): Usable[] {
  const usable = offers.flatMap((offer) => {
    try {
      return [{ offer, selection: ofProvider(offer.provider, offer.id, world) }];
    } catch (error) {
      if (error instanceof StepError) return [];
      throw error;
    }
  });
  return usable.toSorted((one, other) => one.offer.shown.blended - other.offer.shown.blended);
}
