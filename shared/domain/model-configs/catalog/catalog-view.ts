import type { Catalog, CatalogModel, ListedOffer, ListedProvider } from '../../../adapters/models/catalog.ts';
import { deploymentCredentials } from '../../../adapters/models/providers/credentials.ts';
import { providerNames } from '../../../adapters/models/providers/provider-names.ts';
import { type KeySources, type KeyStatus, keyFor } from '../key-choice.ts';
import type { ModelConfig } from '../model-account.ts';

export interface CatalogFilter {
  /** Also hidden offers: variants for a region or a date, previews, aliases that move. */
  showAll?: boolean;
  category?: string | undefined;
  /** Only models that the tenant has a config for. */
  configured?: boolean;
}

/** The catalog as a tenant sees it: with the keys that it has, and the models that it chose. */
export interface CatalogView {
  catalog: Catalog;
  sources: KeySources;
  statusOf: (provider: ListedProvider) => KeyStatus;
  /** Whether the deployment has a key. */
  isPlatform: (provider: ListedProvider) => boolean;
  configsOf: (offer: ListedOffer) => readonly ModelConfig[];
}

export function catalogView(catalog: Catalog, sources: KeySources): CatalogView {
  const statuses = new Map(providerNames.map((name) => [name, keyFor(sources, name).status]));
  // A config may name a dated version, which the catalog lists without the date.
  const byModel = Map.groupBy(
    sources.account.configs,
    ({ provider, modelId }) => `${provider}/${catalog.offer(provider, modelId)?.id ?? modelId}`,
  );
  return {
    catalog,
    sources,
    statusOf: (provider) => statuses.get(provider) ?? 'needs_setup',
    isPlatform: (provider) => deploymentCredentials(provider, sources.deployment) !== undefined,
    configsOf: ({ provider, id }) => byModel.get(`${provider}/${id}`) ?? [],
  };
}

export function* shownModels(
  { catalog, configsOf }: CatalogView,
  { showAll, category, configured }: CatalogFilter,
) {
  for (const model of catalog.models) {
    if (category !== undefined && model.category !== category) continue;
    const offers = showAll ? model.offers : model.offers.filter(({ hidden }) => !hidden);
    const isConfigured = model.offers.some((offer) => configsOf(offer).length > 0);
    if (offers.length > 0 && (!configured || isConfigured)) yield { model, offers };
  }
}

export const modelFacets = ({ tags, category, priority }: CatalogModel) => ({
  tags,
  uiCategory: category,
  ...(priority !== undefined && { uiPriority: priority }),
});
