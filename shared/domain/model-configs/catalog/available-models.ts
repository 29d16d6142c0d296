import type { CatalogModel, ListedOffer } from '../../../adapters/models/catalog.ts';
import { responseFormats } from '../capabilities.ts';
import { type CatalogFilter, type CatalogView, modelFacets, shownModels } from './catalog-view.ts';

export function toAvailableModels(view: CatalogView, filter: CatalogFilter) {
  const { catalog, sources, configsOf, statusOf } = view;
  const data = [...shownModels(view, filter)].flatMap(({ model, offers }) =>
    offers.map((offer) => {
      const configs = configsOf(offer);
      return {
        id: null,
        modelId: offer.id,
        provider: offer.provider,
        displayName: offer.name,
        costPer1kTokens: offer.shown.blended,
        contextLength: offer.context,
        ...limitOf(offer),
        isConfigured: configs.length > 0,
        isDefault: configs.some(({ id }) => id === sources.account.defaults.modelConfigId),
        isEnabled: configs.some(({ isEnabled }) => isEnabled),
        keyStatus: statusOf(offer.provider),
        supportedResponseFormats: formatsOf(model),
        supportsCustomKey: true,
        supportsSearch: offer.tools ?? false,
        supportsStreaming: model.category !== 'embedding',
        ...modelFacets(model),
      };
    }),
  );
  const all = catalog.models.flatMap((model) => model.offers.map((offer) => ({ model, offer })));
  const count = (test: (each: (typeof all)[number]) => boolean) => all.filter(test).length;
  const stats = {
    configured: count(({ offer }) => configsOf(offer).length > 0),
    popular: count(({ model, offer }) => model.tags.includes('popular') && !offer.hidden),
    totalAvailable: all.length,
    uiVisible: count(({ offer }) => !offer.hidden),
  };
  return { data, stats, total: data.length };
}

const formatsOf = ({ category }: CatalogModel) => (category === 'embedding' ? [] : responseFormats);

const limitOf = ({ maxOutput }: ListedOffer) => (maxOutput > 0 ? { maxOutputTokens: maxOutput } : {});
