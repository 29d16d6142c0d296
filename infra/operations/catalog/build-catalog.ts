import Big from 'big.js';
import type {
  BaseModel,
  CatalogData,
  ListedProvider,
  Offer,
} from '../../../shared/adapters/models/catalog-shape.ts';
import type { Rates } from '../../../shared/adapters/models/cost.ts';
import {
  categories,
  creators,
  hidden,
  ownModels,
  popular,
  sameModel,
  source,
  withoutTools,
} from './additions.ts';
import type { PackageModel } from './read-package.ts';

export interface BuiltCatalog {
  data: CatalogData;
  /** Models of the package that have no price. */
  unpriced: string[];
}

/** Builds the catalog from the package's models and the additions. @throws if a model has no known creator. */
export function buildCatalog(byProvider: ReadonlyMap<ListedProvider, readonly PackageModel[]>): BuiltCatalog {
  const all = [...byProvider].flatMap(([provider, models]) => models.map((model) => ({ provider, model })));
  // The package has 0 for prices that it does not know.
  const [unpriced, priced] = [
    all.filter(({ model: { cost } }) => cost.input === 0 && cost.output === 0),
    all.filter(({ model: { cost } }) => cost.input > 0 || cost.output > 0),
  ];
  const offers = [
    ...priced.map(({ provider, model }) => offerOf(provider, model)),
    ...ownModels.map(ownOffer),
  ];
  const byBase = Map.groupBy(offers.map(withRegionalPrice), ({ base }) => base);
  return {
    data: {
      source: `${source.name} ${source.version}`,
      models: [...byBase].map(([id, some]) => baseModelOf(id, some)).toSorted(inOrder),
      offers: [...byBase.values()].flatMap(withVariantsHidden).toSorted(byName),
    },
    unpriced: unpriced.map(({ provider, model }) => `${provider}/${model.id}`),
  };
}

const geography = /^(us-gov|us|eu|apac|au|ca|jp|in|global)\./;

/** The name of the model itself: without vendor, geography, revision and date. */
export function baseIdOf(provider: ListedProvider, modelId: string): string {
  const id = modelId.toLowerCase();
  const own =
    provider === 'bedrock'
      ? id
          .replace(geography, '')
          .replace(/^[a-z]+\./, '')
          .replace(/(-v\d+)?(:\d+)?$/, '')
      : id;
  const bare = own.replace(/^.*\//, '').replace(/-20\d\d-?\d\d-?\d\d$/, '');
  const [pattern, name] = sameModel.find(([each]) => each.test(bare)) ?? [];
  return pattern && name ? bare.replace(pattern, name) : bare;
}

function offerOf(provider: ListedProvider, { id, name, cost, ...model }: PackageModel): Offer {
  const base = baseIdOf(provider, id);
  const { tiers } = cost;
  return {
    ...{ base, provider, id, name, context: model.contextWindow, maxOutput: model.maxTokens },
    ...(model.reasoning && { reasoning: true }),
    ...(model.input.includes('image') && { vision: true }),
    ...(!withoutTools.test(base) && { tools: true }),
    ...(hidden.test(id) && { hidden: true }),
    price: {
      ...ratesOf(cost),
      ...(tiers && {
        tiers: tiers.map(({ inputTokensAbove: above, ...rates }) => ({ above, ...ratesOf(rates) })),
      }),
    },
  };
}

/** The package has 0 for caches that have no price of their own. */
const ratesOf = ({ input, output, cacheRead, cacheWrite }: PackageModel['cost']): Rates => ({
  ...{ input: decimal(input), output: decimal(output) },
  ...(cacheRead > 0 && { cacheRead: decimal(cacheRead) }),
  ...(cacheWrite > 0 && { cacheWrite: decimal(cacheWrite) }),
});

/** Prices have few digits; further ones come from arithmetic with doubles. */
const decimal = (rate: number) => new Big(new Big(rate).toPrecision(10)).toFixed();

function ownOffer({ provider, id, name, context, input }: (typeof ownModels)[number]): Offer {
  return { base: baseIdOf(provider, id), provider, id, name, context, maxOutput: 0, price: { input } };
}

/** Lists show one offer per base model and provider: without geography before a wider one, and without date. */
function withVariantsHidden(offers: readonly Offer[]): Offer[] {
  return [...Map.groupBy(offers, ({ provider }) => provider).values()].flatMap((some) => {
    const shown = some.toSorted(
      (one, other) => rankOf(one) - rankOf(other) || one.id.length - other.id.length,
    )[0];
    return some.map((offer) => (offer === shown ? offer : { ...offer, hidden: true }));
  });
}

/** Bedrock charges a model without a geography as within a region; the package has the global price for some. */
const withRegionalPrice = (offer: Offer, _index: number, all: readonly Offer[]): Offer => {
  const regional = all.find(({ provider, id }) => provider === 'bedrock' && id === `us.${offer.id}`);
  return offer.provider === 'bedrock' && regional ? { ...offer, price: regional.price } : offer;
};

/** Newer models of Bedrock are served through inference profiles only, and the global one is the cheapest. */
const rankOf = ({ id }: Offer) =>
  id.startsWith('global.') ? 0 : id.startsWith('us.') ? 1 : geography.test(id) ? 3 : 2;

function baseModelOf(id: string, offers: readonly Offer[]): BaseModel {
  const [creator] = Object.entries(creators).find(([, pattern]) => pattern.test(id)) ?? [];
  if (!creator) throw new Error(`Add the creator of ${id} to infra/operations/catalog/additions.ts`);
  const priority = popular.indexOf(id) + 1;
  const tags = [
    ...(priority > 0 ? ['popular'] : []),
    ...(['reasoning', 'vision', 'tools'] as const).filter((tag) => offers.some((offer) => offer[tag])),
  ];
  const category = (categories.find(([pattern]) => pattern.test(id))?.[1] ??
    'general') as BaseModel['category'];
  // The maker's own name is free of the remarks that resellers add.
  const named = offers.toSorted(
    (one, other) =>
      Number(other.provider === creator) - Number(one.provider === creator) ||
      one.name.length - other.name.length,
  );
  return {
    id,
    name: (named[0]?.name ?? id).replace(remark, ''),
    creator,
    category,
    tags,
    ...(priority > 0 && { priority }),
  };
}

/** What names say of one offer: `(latest)`, `(Global)`. */
const remark = / \((latest|Global|US|EU|AU|JP|APAC|CA|IN|US Gov)\)$/i;

const inOrder = (one: BaseModel, other: BaseModel) =>
  (one.priority ?? 1_000) - (other.priority ?? 1_000) || (one.id < other.id ? -1 : 1);

const byName = (one: Offer, other: Offer) =>
  `${one.base} ${one.provider} ${one.id}` < `${other.base} ${other.provider} ${other.id}` ? -1 : 1;
