import { loadOnce } from '../../core/concurrency/load-once.ts';
import { type ModelPrice, type ShownPrice, toShownPrice } from './cost.ts';
import { foldModelName } from './plain-model-name.ts';
import type { ProviderName } from './providers/provider-names.ts';
import type { ResolvedModel } from './resolved-model.ts';

export interface CatalogModel extends BaseModel {
  offers: readonly ListedOffer[];
}

export interface ListedOffer extends ModelOffer {
  shown: ShownPrice;
}

export interface Catalog {
  models: readonly CatalogModel[];
  /** A model of a provider, however its name is spelled. A dated version that is not listed itself is the model without the date. */
  offer: (provider: ProviderName, modelId: string) => ListedOffer | undefined;
  /** The offers that a name without a provider stands for: the id of a model at a provider, or of a base model. */
  offersNamed: (name: string) => readonly ListedOffer[];
  base: (id: string) => CatalogModel | undefined;
}

export const loadCatalog = /* @__PURE__ */ loadOnce(async (): Promise<Catalog> => {
  const { default: data } = await import('./catalog.json', { with: { type: 'json' } });
  return indexCatalog(data as CatalogData);
});

function indexCatalog({ models, offers }: CatalogData): Catalog {
  const listed = offers.map((offer): ListedOffer => ({ ...offer, shown: toShownPrice(offer.price) }));
  const byBase = Map.groupBy(listed, ({ base }) => base);
  const byId = Map.groupBy(listed, ({ id }) => foldModelName(id));
  const byName = new Map(listed.map((offer) => [`${offer.provider}/${foldModelName(offer.id)}`, offer]));
  const whole = new Map(models.map((model) => [model.id, { ...model, offers: byBase.get(model.id) ?? [] }]));
  return {
    models: [...whole.values()],
    offer: (provider, modelId) => {
      const name = `${provider}/${foldModelName(modelId)}`;
      return byName.get(name) ?? byName.get(name.replace(date, ''));
    },
    offersNamed: (requested) => {
      const name = foldModelName(requested);
      const shownOffers = (byBase.get(name) ?? []).filter(({ hidden }) => !hidden);
      return [...new Set([...(byId.get(name) ?? []), ...shownOffers])];
    },
    base: (id) => whole.get(id),
  };
}

/** The end of the name of a version, such as `-20250929` or `-2024-08-06`. */
const date = /-20\d\d-?\d\d-?\d\d$/;

/** For a generic server: the model at its maker, else at the first provider that lists it. */
export function findOffer(
  catalog: Catalog,
  provider: ProviderName,
  modelId: string,
): ListedOffer | undefined {
  if (provider !== 'generic-openai') return catalog.offer(provider, modelId);
  const offers = catalog.offersNamed(modelId);
  return offers.find((offer) => offer.provider === catalog.base(offer.base)?.creator) ?? offers[0];
}

/** The price of a model: its own, else the catalog's; null if the catalog does not list it. */
export async function modelPrice({
  provider,
  modelId,
  price,
}: Pick<ResolvedModel, 'provider' | 'modelId' | 'price'>): Promise<ModelPrice | null> {
  return price ?? findOffer(await loadCatalog(), provider, modelId)?.price ?? null;
}

/** The length in tokens from which a model's provider caches what a request marks; undefined if it takes no marks. */
export async function modelCacheTokensMin({
  provider,
  modelId,
}: Pick<ResolvedModel, 'provider' | 'modelId'>): Promise<number | undefined> {
  const catalog = await loadCatalog();
  const offer = catalog.offer(provider, modelId);
  return offer && catalog.base(offer.base)?.cacheTokensMin;
}

export async function isListed(modelId: string, provider?: ListedProvider): Promise<boolean> {
  const catalog = await loadCatalog();
  return provider ? catalog.offer(provider, modelId) !== undefined : catalog.offersNamed(modelId).length > 0;
}

/** The providers whose models the catalog lists. A generic server may have any model. */
export type ListedProvider =
  | 'openai'
  | 'anthropic'
  | 'google'
  | 'bedrock'
  | 'xai'
  | 'groq'
  | 'togetherai'
  | 'mistral';

export interface BaseModel {
  id: string;
  name: string;
  creator: string;
  category: 'flagship' | 'general' | 'fast' | 'coding' | 'embedding';
  tags: string[];
  /** A smaller number stands earlier in lists. */
  priority?: number;
  /** The length in tokens from which its providers cache what a request marks. Absent if they take no marks. */
  cacheTokensMin?: number;
}

export interface ModelOffer {
  base: string;
  provider: ListedProvider;
  /** The provider's name of the model, as sent to it. */
  id: string;
  name: string;
  /** In tokens: input and output together. */
  context: number;
  /** In tokens; 0 for embeddings. */
  maxOutput: number;
  reasoning?: true;
  vision?: true;
  tools?: true;
  /** Lists show it only on request. */
  hidden?: true;
  price: ModelPrice;
}

export interface CatalogData {
  /** The package and version of its data. */
  source: string;
  models: readonly BaseModel[];
  offers: readonly ModelOffer[];
}
