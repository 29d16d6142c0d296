/**
 * Decides which model a name means for a tenant: its provider, the id that the provider gets, the key and the settings.
 * In order: the default, the id of a config, `<provider>/<modelId>`, a name of the catalog (the cheapest usable offer),
 * the model id of a config. A config of a model applies by whatever name the model is called, and a disabled one
 * refuses it.
 * `selectModel` is pure: the catalog, the tenant's account and the deployment's keys come in as `Selecting`, which
 * `modelSelector` loads once for a run; runs that start within two seconds share the account that the first has read. A
 * caller who knows the revision of the account gets the one that the process has kept for it, without a request (D300).
 * `model-resolver.ts` adds the values of keys; the checks of flows and the gate of budgets read the same account.
 */
import Big from 'big.js';
import { type Catalog, findOffer, type ListedOffer, loadCatalog } from '../../adapters/models/catalog.ts';
import type { ModelPrice, Rates } from '../../adapters/models/cost.ts';
import { foldModelName, plainModelName } from '../../adapters/models/plain-model-name.ts';
import { providerKeys } from '../../adapters/models/providers/provider-keys.ts';
import {
  isProviderName,
  type ProviderName,
  providerNames,
} from '../../adapters/models/providers/provider-names.ts';
import type { ModelLimits, PriceTier } from '../../adapters/ports/model-port.ts';
import { createBoundedMap } from '../../core/cache.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { getConfigExecutor } from './config-changes.ts';
import { findStatedPrice, nameOnTheWire } from './config-view.ts';
import { findFirstUsableOffer } from './default-config.ts';
import { chooseConfigKey, chooseKey, type KeyChoice, type KeySources } from './key-choice.ts';
import { isConfigId, type ModelAccount, type ModelConfig, readModelAccount } from './model-account.ts';

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

/** A call of a model asks several times for the selection of its name. */
const selections = new WeakMap<Selecting, Map<string, ModelSelection>>();

/**
 * Selects by the id of a config, `default`, `<provider>/<modelId>`, or a name from the catalog, which means the
 * cheapest configured provider, else a generic server; however the name is spelled. @throws StepError
 */
export function selectModel(requestedName: string, context: Selecting): ModelSelection {
  const known = selections.get(context) ?? new Map<string, ModelSelection>();
  const selection = known.get(requestedName) ?? findSelection(requestedName, context);
  selections.set(context, known.set(requestedName, selection));
  return selection;
}

function findSelection(requestedName: string, context: Selecting): ModelSelection {
  const { catalog, account } = context;
  const name = plainModelName(requestedName);
  if (name === '') throw new StepError('The name of the model is empty; write it as <provider>/<model>');
  if (foldModelName(name) === 'default') return selectDefault(context);
  if (isConfigId(name)) return selectConfig(findConfigById(name, context), context);
  const [, provider = '', modelId = ''] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  const providerName = provider.toLowerCase();
  if (isProviderName(providerName))
    return selectFromProvider(providerName, removeProvider(providerName, modelId), context);
  if (catalog.offersNamed(name).length > 0) return selectCheapest(name, context);
  const config = account.configs.find((config) => isNamed(config.modelId, name));
  if (config) return selectFromProvider(config.provider, config.modelId, context);
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
export function listAlternatives(
  { provider, modelId }: Pick<ModelSelection, 'provider' | 'modelId'>,
  context: Selecting,
): string[] {
  const { catalog } = context;
  const base = catalog.offer(provider, modelId)?.base;
  if (base === undefined) return [];
  const others = catalog
    .offersNamed(base)
    .filter((offer) => offer.provider !== provider && offer.base === base);
  return listUsableOffers(others, context).map(({ offer }) => `${offer.provider}/${offer.id}`);
}

function selectDefault(context: Selecting): ModelSelection {
  const { configs, defaults } = context.account;
  const config = configs.find(({ id }) => id === defaults.modelConfigId);
  if (config) return selectConfig(config, context);
  // The first list of the configs creates the default one from the same choice.
  const { provider, id } = findFirstUsableOffer(context.catalog, context);
  return selectFromProvider(provider, id, context);
}

function findConfigById(id: string, { account }: KeySources): ModelConfig {
  const config = account.configs.find((each) => each.id === id);
  if (config) return config;
  throw new StepError(`There is no model config ${id}; GET /v1/model-configs lists them`);
}

function selectConfig(config: ModelConfig, context: Selecting): ModelSelection {
  if (!config.isEnabled) throw createDisabledError(config);
  const key = chooseConfigKey(context, config);
  if (key.status === 'needs_setup') throw new StepError(key.reason);
  const [provider, modelId] = [getConfigExecutor(config), nameOnTheWire(config)];
  const price = findStatedPrice(config.settings, key.status, findOffer(context.catalog, provider, modelId));
  return { provider, modelId, key, config, price };
}

const createDisabledError = ({ id, provider, modelId }: ModelConfig) =>
  new StepError(
    `The model config ${id} (${provider}/${modelId}) is disabled; enable it through PATCH /v1/model-configs/${id}/status`,
  );

const isNamed = (one: string, other: string) => foldModelName(one) === foldModelName(other);

/** Some servers take their own name in front of a model's. */
function removeProvider(provider: ProviderName, modelId: string): string {
  const prefix = `${provider}/`;
  return provider === 'generic-openai' && modelId.toLowerCase().startsWith(prefix)
    ? removeProvider(provider, modelId.slice(prefix.length))
    : modelId;
}

/** The config of a model applies to it by whatever name: its key, its settings, and whether it is disabled. */
function selectFromProvider(provider: ProviderName, modelId: string, context: Selecting): ModelSelection {
  const { defaults } = context.account;
  const all = findConfigs(provider, modelId, context);
  const enabled = all.filter(({ isEnabled }) => isEnabled);
  const config = enabled.find(({ id }) => id === defaults.modelConfigId) ?? enabled[0] ?? all[0];
  const listed = context.catalog.offer(provider, modelId)?.id;
  const isDated = listed !== undefined && !isNamed(listed, modelId);
  if (config) {
    const selection = selectConfig(config, context);
    const isOfUndated = isDated && isNamed(selection.modelId, listed);
    return isOfUndated ? { ...selection, modelId } : selection;
  }
  const key = chooseKey(context, provider);
  if (key.status === 'needs_setup') throw new StepError(key.reason);
  return { provider, modelId: isDated ? modelId : (listed ?? modelId), key };
}

/** Those of exactly this name, else of another spelling, else that call the model, or the one without the date, by it. */
function findConfigs(
  provider: ProviderName,
  modelId: string,
  { account, catalog }: Selecting,
): ModelConfig[] {
  const { configs } = account;
  const ofProvider = configs.filter((config) => config.provider === provider);
  const onSameServer = configs.filter(
    (config) =>
      getConfigExecutor(config) === provider && !config.settings.customModel?.executorConfig?.baseURL,
  );
  const undated = catalog.offer(provider, modelId)?.id ?? modelId;
  const candidates = [
    ofProvider.filter((config) => config.modelId === modelId),
    ofProvider.filter((config) => isNamed(config.modelId, modelId)),
    onSameServer.filter((config) => isNamed(nameOnTheWire(config), modelId)),
    ofProvider.filter((config) => isNamed(config.modelId, undated)),
  ];
  return candidates.find((some) => some.length > 0) ?? [];
}

/**
 * Why a budget that blocks does not pay for a model without a price: nothing is known of its name, so that it may be
 * another name of a model that has one. Undefined for models that are known to have none (D72).
 */
export function explainUnpriced(
  { provider, modelId, config }: ModelSelection,
  { account, catalog }: Selecting,
): string | undefined {
  if (config || findOffer(catalog, provider, modelId)) return undefined;
  // What a server of the tenant or the deployment has is known only where somebody has described it.
  const isDescribed = account.configs.some(
    (each) => getConfigExecutor(each) === provider && each.settings.customModel !== undefined,
  );
  if (provider === 'generic-openai' && !isDescribed) return undefined;
  return `A budget limits this call, but neither the catalog nor a model config knows a price of ${provider}/${modelId}. Give it one with settings.customModel of POST /v1/model-configs, or call a model that GET /v1/model-configs lists`;
}

function selectCheapest(name: string, context: Selecting): ModelSelection {
  const offers = context.catalog.offersNamed(name);
  const [best] = listUsableOffers(offers, context);
  if (best) return best.selection;
  const isDisabled = offers.flatMap(({ provider, id }) =>
    context.account.configs.filter(
      (config) => config.provider === provider && isNamed(config.modelId, id) && !config.isEnabled,
    ),
  );
  if (isDisabled[0]) throw createDisabledError(isDisabled[0]);
  if (chooseKey(context, 'generic-openai').status !== 'needs_setup')
    return selectFromProvider('generic-openai', name, context);
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
function listUsableOffers(offers: readonly ListedOffer[], context: Selecting): Usable[] {
  const usable = offers.flatMap((offer) => {
    try {
      return [{ offer, selection: selectFromProvider(offer.provider, offer.id, context) }];
    } catch (error) {
      if (error instanceof StepError) return [];
      throw error;
    }
  });
  return usable.toSorted((one, other) => one.offer.shown.blended - other.offer.shown.blended);
}

/** Loads what selects a tenant's models, once for each run. */
export const modelSelector = /* @__PURE__ */ using(['table:read', 'provider-keys'], (scope: Scope) => {
  let loading: Promise<Selecting> | undefined;
  return () => {
    loading ??= load(recentModelAccount(scope)).catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
});

const loads = new WeakMap<Promise<ModelAccount>, Promise<Selecting>>();

/** Runs that share an account share what is selected with it. */
function load(reading: Promise<ModelAccount>): Promise<Selecting> {
  const loading = loads.get(reading) ?? loadSelecting(reading);
  loads.set(reading, loading);
  loading.catch(() => loads.delete(reading));
  return loading;
}

async function loadSelecting(reading: Promise<ModelAccount>): Promise<Selecting> {
  const [catalog, account, deployment] = await Promise.all([loadCatalog(), reading, providerKeys()]);
  return { catalog, account, deployment };
}

export function listSelectionLimits(
  { provider, modelId, config, price }: Pick<ModelSelection, 'provider' | 'modelId' | 'config' | 'price'>,
  catalog: Catalog,
): ModelLimits {
  const offer = findOffer(catalog, provider, modelId);
  const rates = price ?? offer?.price;
  return {
    contextTokens: offer?.context,
    outputTokens: config?.settings.customModel?.maxOutputTokens ?? (offer?.maxOutput || undefined),
    maxTokens: config?.settings.maxTokens,
    prices: rates && listTiers(rates),
  };
}

const listTiers = ({ tiers = [], ...base }: ModelPrice): PriceTier[] =>
  [{ ...base, above: 0 }, ...tiers].map((tier) => ({
    above: tier.above,
    input: getHighestInput(tier),
    output: tier.output ?? '0',
  }));

const getHighestInput = ({ input, cacheRead = input, cacheWrite = input }: Rates): string =>
  [input, cacheRead, cacheWrite].reduce((one, other) => (new Big(one).gt(other) ? one : other));

/** Accounts without budgets, whose items change with each call. Each change of the account counts its revision. */
const kept = /* @__PURE__ */ createBoundedMap<{ revision: number; account: ModelAccount }>({
  entriesMax: 200,
  ttlMs: 60_000,
});

/** @param revision As it was read before: what changes meanwhile has a later one. */
async function readKept({ table }: Scope, revision: number): Promise<ModelAccount> {
  const known = kept.get(table.tenant);
  if (known?.revision === revision) return known.account;
  const account = await readModelAccount(table);
  if (account.budgets.length === 0) kept.set(table.tenant, { revision, account });
  else kept.delete(table.tenant);
  return account;
}

const sharedForMs = 2_000;
const recent = new WeakMap<Scope, { at: number; reading: Promise<ModelAccount> }>();

/** Runs of one scope that start within two seconds share what the first one has read. @param revision If it was just read. */
export const recentModelAccount = /* @__PURE__ */ using(
  ['table:read'],
  (scope: Scope, revision?: number): Promise<ModelAccount> => {
    const at = scope.now().getTime();
    const cached = recent.get(scope);
    if (cached && Math.abs(at - cached.at) < sharedForMs) return cached.reading;
    const reading = revision === undefined ? readModelAccount(scope.table) : readKept(scope, revision);
    recent.set(scope, { at, reading });
    reading.catch(() => recent.delete(scope));
    return reading;
  },
);
