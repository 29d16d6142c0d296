import type { CatalogModel, ListedOffer } from '../../../adapters/models/catalog.ts';
import { deploymentCredentials } from '../../../adapters/models/providers/credentials.ts';
import { providerNames, providerTitles } from '../../../adapters/models/providers/provider-names.ts';
import { creatorNames, toReasoningCapability } from '../capabilities.ts';
import { shownCosts } from '../config-view.ts';
import { type CatalogFilter, type CatalogView, modelFacets, shownModels } from './catalog-view.ts';

export function toGroupedModels(view: CatalogView, filter: CatalogFilter) {
  const data = [...shownModels(view, filter)].map(({ model, offers }) => groupOf(view, model, offers));
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

function groupOf(
  { configsOf, isPlatform, statusOf }: CatalogView,
  model: CatalogModel,
  offers: readonly ListedOffer[],
) {
  // A config of a hidden offer makes the model configured, too.
  const configs = model.offers.flatMap(configsOf);
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
      ...shownCosts(offer.shown),
      hasPlatformKey: isPlatform(offer.provider),
      keyStatus: statusOf(offer.provider),
    })),
    isConfigured: configs.length > 0,
    configuredProviders: [...new Set(configs.map(({ provider }) => provider))],
    configuredConfigs: configs.map(({ id, provider, modelId }) => ({ id, provider, modelId })),
    ...(reasoning && { reasoningCapability: toReasoningCapability(reasoning) }),
    ...modelFacets(model),
  };
}
