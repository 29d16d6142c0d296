import Big from 'big.js';
import type { ListedProvider, ModelOffer } from '../../../shared/adapters/models/catalog.ts';
import type { Rates } from '../../../shared/adapters/models/cost.ts';
import { hidden, type ownModels, sameModel, withoutTools } from './additions.ts';
import type { PackageModel } from './read-package.ts';

export function toModelOffer(
  provider: ListedProvider,
  { id, name, cost, ...model }: PackageModel,
): ModelOffer {
  const base = baseModelId(provider, id);
  const { tiers } = cost;
  return {
    base,
    provider,
    id,
    name,
    context: model.contextWindow,
    maxOutput: model.maxTokens,
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
  input: decimal(input),
  output: decimal(output),
  ...(cacheRead > 0 && { cacheRead: decimal(cacheRead) }),
  ...(cacheWrite > 0 && { cacheWrite: decimal(cacheWrite) }),
});

/** Prices have few digits; further ones come from arithmetic with doubles. */
const decimal = (rate: number) => new Big(new Big(rate).toPrecision(10)).toFixed();

export function ownOffer({ provider, id, name, context, input }: (typeof ownModels)[number]): ModelOffer {
  return { base: baseModelId(provider, id), provider, id, name, context, maxOutput: 0, price: { input } };
}

/** Lists show one offer per base model and provider: without geography before a wider one, and without date. */
export function withVariantsHidden(offers: readonly ModelOffer[]): ModelOffer[] {
  return [...Map.groupBy(offers, ({ provider }) => provider).values()].flatMap((some) => {
    const shown = some.toSorted(
      (one, other) => rankOf(one) - rankOf(other) || one.id.length - other.id.length,
    )[0];
    return some.map((offer) => (offer === shown ? offer : { ...offer, hidden: true }));
  });
}

/** Bedrock charges a model without a geography as within a region; the package has the global price for some. */
export const withRegionalPrice = (
  offer: ModelOffer,
  _index: number,
  all: readonly ModelOffer[],
): ModelOffer => {
  const regional = all.find(({ provider, id }) => provider === 'bedrock' && id === `us.${offer.id}`);
  return offer.provider === 'bedrock' && regional ? { ...offer, price: regional.price } : offer;
};

/** Newer models of Bedrock are served through inference profiles only, and the global one is the cheapest. */
const rankOf = ({ id }: ModelOffer) =>
  id.startsWith('global.') ? 0 : id.startsWith('us.') ? 1 : geography.test(id) ? 3 : 2;

/** The geography of an inference profile of Bedrock. */
const geography = /^(us-gov|us|eu|apac|au|ca|jp|in|global)\./;

/** The name of the model itself: without vendor, geography, revision and date. */
export function baseModelId(provider: ListedProvider, modelId: string): string {
  const id = modelId.toLowerCase();
  const prices =
    provider === 'bedrock'
      ? id
          .replace(geography, '')
          .replace(/^[a-z]+\./, '')
          .replace(/(-v\d+)?(:\d+)?$/, '')
      : id;
  const bare = prices.replace(/^.*\//, '').replace(/-20\d\d-?\d\d-?\d\d$/, '');
  const [pattern, name] = sameModel.find(([each]) => each.test(bare)) ?? [];
  return pattern && name ? bare.replace(pattern, name) : bare;
}
