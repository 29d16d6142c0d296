/**
 * The catalog of models as a tenant sees it: each model and offer with its prices, whether the tenant has a key and a config
 * for it.
 *
 * Two lists show the same view, one per offer and one per base model. Both join the catalog, the tenant's model account and
 * the keys of the deployment, read once per request. Only the endpoints `model-configs/available` and `grouped` use it; which
 * model a name means is decided in `select-model.ts`.
 */

import {
  type Catalog,
  type CatalogModel,
  type ListedOffer,
  type ListedProvider,
  loadCatalog,
} from '../../adapters/models/catalog.ts';
import { deploymentCredentials } from '../../adapters/models/providers/credentials.ts';
import { providerKeys } from '../../adapters/models/providers/provider-keys.ts';
import { providerNames, providerTitles } from '../../adapters/models/providers/provider-names.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { creatorNames, responseFormats, toReasoningCapability, toShownCosts } from './config-view.ts';
import { chooseKey, type KeySources, type KeyStatus } from './key-choice.ts';
import { type ModelConfig, readModelAccount } from './model-account.ts';

export const catalogLists = /* @__PURE__ */ using(['table:read', 'provider-keys'], (scope: Scope) => {
  const load = async () => {
    const [catalog, account, deployment] = await Promise.all([
      loadCatalog(),
      readModelAccount(scope.table),
      providerKeys(),
    ]);
    return createCatalogView(catalog, { account, deployment });
  };
  return {
    available: async (filter: CatalogFilter) => toAvailableModels(await load(), filter),
    grouped: async (filter: CatalogFilter) => toGroupedModels(await load(), filter),
  };
});

function toAvailableModels(view: CatalogView, filter: CatalogFilter) {
  const { catalog, sources, findConfigs, getStatus } = view;
  const data = [...filterModels(view, filter)].flatMap(({ model, offers }) =>
    offers.map((offer) => {
      const configs = findConfigs(offer);
      return {
        id: null,
        modelId: offer.id,
        provider: offer.provider,
        displayName: offer.name,
        costPer1kTokens: offer.shown.blended,
        contextLength: offer.context,
        ...toLimit(offer),
        isConfigured: configs.length > 0,
        isDefault: configs.some(({ id }) => id === sources.account.defaults.modelConfigId),
        isEnabled: configs.some(({ isEnabled }) => isEnabled),
        keyStatus: getStatus(offer.provider),
        supportedResponseFormats: listFormats(model),
        supportsCustomKey: true,
        supportsSearch: offer.tools ?? false,
        supportsStreaming: model.category !== 'embedding',
        ...toModelFacets(model),
      };
    }),
  );
  const all = catalog.models.flatMap((model) => model.offers.map((offer) => ({ model, offer })));
  const count = (test: (each: (typeof all)[number]) => boolean) => all.filter(test).length;
  const stats = {
    configured: count(({ offer }) => findConfigs(offer).length > 0),
    popular: count(({ model, offer }) => model.tags.includes('popular') && !offer.hidden),
    totalAvailable: all.length,
    uiVisible: count(({ offer }) => !offer.hidden),
  };
  return { data, stats, total: data.length };
}

const listFormats = ({ category }: CatalogModel) => (category === 'embedding' ? [] : responseFormats);

const toLimit = ({ maxOutput }: ListedOffer) => (maxOutput > 0 ? { maxOutputTokens: maxOutput } : {});

function toGroupedModels(view: CatalogView, filter: CatalogFilter) {
  const data = [...filterModels(view, filter)].map(({ model, offers }) => toGroup(view, model, offers));
  const { models } = view.catalog;
  const stats = {
    totalModels: models.reduce((sum, { offers }) => sum + offers.length, 0),
    uniqueBaseModels: models.length,
    providersWithPlatformKeys: providerNames.filter((name) =>
      deploymentCredentials(name, view.sources.deployment),
    ),
  };
  return { data, stats, total: data.length };
}

function toGroup(
  { findConfigs, isPlatform, getStatus }: CatalogView,
  model: CatalogModel,
  offers: readonly ListedOffer[],
) {
  // A config of a hidden offer makes the model configured, too.
  const configs = model.offers.flatMap(findConfigs);
  const reasoning = offers.find((offer) => offer.reasoning) ?? offers[0];
  return {
    baseModel: model.id,
    displayName: model.name,
    creator: model.creator,
    creatorDisplayName: creatorNames[model.creator] ?? model.creator,
    contextLength: Math.max(...offers.map(({ context }) => context)),
    maxOutputTokens: Math.max(...offers.map(({ maxOutput }) => maxOutput)),
    lowestCost: Math.min(...offers.map(({ shown }) => shown.blended)),
    providers: offers.map((offer) => ({
      provider: offer.provider,
      providerDisplayName: providerTitles[offer.provider],
      modelId: offer.id,
      ...toShownCosts(offer.shown),
      hasPlatformKey: isPlatform(offer.provider),
      keyStatus: getStatus(offer.provider),
    })),
    isConfigured: configs.length > 0,
    configuredProviders: [...new Set(configs.map(({ provider }) => provider))],
    configuredConfigs: configs.map(({ id, provider, modelId }) => ({ id, provider, modelId })),
    ...(reasoning && { reasoningCapability: toReasoningCapability(reasoning) }),
    ...toModelFacets(model),
  };
}

interface CatalogFilter {
  /** Also hidden offers: variants for a region or a date, previews, aliases that move. */
  showAll?: boolean;
  category?: string | undefined;
  /** Only models that the tenant has a config for. */
  configured?: boolean;
}

/** The catalog as a tenant sees it: with the keys that it has, and the models that it chose. */
interface CatalogView {
  catalog: Catalog;
  sources: KeySources;
  getStatus: (provider: ListedProvider) => KeyStatus;
  /** Whether the deployment has a key. */
  isPlatform: (provider: ListedProvider) => boolean;
  findConfigs: (offer: ListedOffer) => readonly ModelConfig[];
}

function createCatalogView(catalog: Catalog, sources: KeySources): CatalogView {
  const statuses = new Map(providerNames.map((name) => [name, chooseKey(sources, name).status]));
  // A config may name a dated version, which the catalog lists without the date.
  const byModel = Map.groupBy(
    sources.account.configs,
    ({ provider, modelId }) => `${provider}/${catalog.offer(provider, modelId)?.id ?? modelId}`,
  );
  return {
    catalog,
    sources,
    getStatus: (provider) => statuses.get(provider) ?? 'needs_setup',
    isPlatform: (provider) => deploymentCredentials(provider, sources.deployment) !== undefined,
    findConfigs: ({ provider, id }) => byModel.get(`${provider}/${id}`) ?? [],
  };
}

function* filterModels(
  { catalog, findConfigs }: CatalogView,
  { showAll, category, configured }: CatalogFilter,
) {
  for (const model of catalog.models) {
    if (category !== undefined && model.category !== category) continue;
    const offers = showAll ? model.offers : model.offers.filter(({ hidden }) => !hidden);
    const isConfigured = model.offers.some((offer) => findConfigs(offer).length > 0);
    if (offers.length > 0 && (!configured || isConfigured)) yield { model, offers };
  }
}

const toModelFacets = ({ tags, category, priority }: CatalogModel) => ({
  tags,
  uiCategory: category,
  ...(priority !== undefined && { uiPriority: priority }),
});
