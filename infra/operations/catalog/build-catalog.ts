import type {
  BaseModel,
  CatalogData,
  ListedProvider,
  ModelOffer,
} from '../../../shared/adapters/models/catalog.ts';
import { cacheTokensMin, categories, creators, ownModels, popular, source } from './additions.ts';
import { ownOffer, toModelOffer, withRegionalPrice, withVariantsHidden } from './offers.ts';
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
    ...priced.map(({ provider, model }) => toModelOffer(provider, model)),
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

function baseModelOf(id: string, offers: readonly ModelOffer[]): BaseModel {
  const [creator] = Object.entries(creators).find(([, pattern]) => pattern.test(id)) ?? [];
  if (!creator) throw new Error(`Add the creator of ${id} to infra/operations/catalog/additions.ts`);
  const priority = popular.indexOf(id) + 1;
  const tags = [
    ...(priority > 0 ? ['popular'] : []),
    ...(['reasoning', 'vision', 'tools'] as const).filter((tag) => offers.some((offer) => offer[tag])),
  ];
  const category = (categories.find(([pattern]) => pattern.test(id))?.[1] ??
    'general') as BaseModel['category'];
  const tokensMin = cacheTokensMin.find(([pattern]) => pattern.test(id))?.[1];
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
    ...(tokensMin !== undefined && { cacheTokensMin: tokensMin }),
  };
}

/** What names say of one offer: `(latest)`, `(Global)`. */
const remark = / \((latest|Global|US|EU|AU|JP|APAC|CA|IN|US Gov)\)$/i;

const inOrder = (one: BaseModel, other: BaseModel) =>
  (one.priority ?? 1_000) - (other.priority ?? 1_000) || (one.id < other.id ? -1 : 1);

const byName = (one: ModelOffer, other: ModelOffer) =>
  `${one.base} ${one.provider} ${one.id}` < `${other.base} ${other.provider} ${other.id}` ? -1 : 1;
