import type { PriceOptions } from '@pydantic/genai-prices';
import { loadingCache } from '../../core/cache.ts';
import { loadOnce } from '../../core/load-once.ts';
import { StepError } from '../../core/step-error.ts';
import type { Price, Rate } from './cost.ts';
import { type Credentials, configuredBy, deploymentCredentials } from './credentials.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { isProviderName, type ProviderName, providerNames } from './provider-names.ts';
import type { ResolvedModel } from './resolved-model.ts';

/**
 * Resolves a model's name: `<provider>/<modelId>` is explicit. A model id from the catalog resolves to the cheapest
 * configured provider, else to the generic server, which may have any model. @throws StepError
 */
export async function resolveModel(name: string, keys: ProviderKeys): Promise<ResolvedModel> {
  const [, provider, modelId] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (!provider || !modelId) return cheapest(name, keys);
  if (!isProviderName(provider)) {
    throw new StepError(
      `There is no model provider ${provider}; expected one of ${providerNames.join(', ')}`,
    );
  }
  const credentials = deploymentCredentials(provider, keys);
  if (!credentials) {
    throw new StepError(`The model provider ${provider} is not configured: set ${configuredBy(provider)}`);
  }
  return modelAt(provider, modelId, credentials);
}

const modelAt = (provider: ProviderName, modelId: string, credentials: Credentials): ResolvedModel => ({
  provider,
  modelId,
  credentials,
  keySource: 'platform',
});

async function cheapest(modelId: string, keys: ProviderKeys): Promise<ResolvedModel> {
  const usable = providerNames.flatMap((provider) => {
    const credentials = deploymentCredentials(provider, keys);
    return credentials ? [modelAt(provider, modelId, credentials)] : [];
  });
  const offers = await Promise.all(
    usable.map(async (model) => ({ model, price: await listed(modelId, catalogOf(model)) })),
  );
  const total = ({ input, output }: Price) => baseOf(input) + baseOf(output ?? 0);
  const priced = offers.flatMap(({ model, price }) => (price ? [{ model, cost: total(price) }] : []));
  const best = priced.toSorted((one, other) => one.cost - other.cost)[0]?.model;
  if (best) return best;
  if (!(await listed(modelId, {}))) {
    throw new StepError(
      `The catalog has no model ${modelId}; write models outside of the catalog as <provider>/${modelId}`,
    );
  }
  const generic = usable.find(({ provider }) => provider === 'generic-openai');
  if (generic) return generic;
  const variables = providerNames.map(configuredBy).join(', ');
  throw new StepError(`No configured model provider has ${modelId}; configure one with ${variables}`);
}

/** The price of a model: its own, else the catalog's; null if the catalog does not list it. */
export async function priceOf(model: Omit<ResolvedModel, 'keySource'>): Promise<Price | null> {
  if (model.price) return model.price;
  const own = await listed(model.modelId, catalogOf(model));
  return own ?? (model.provider === 'generic-openai' ? listed(model.modelId, {}) : null);
}

/** Whether the catalog lists a model, for this provider if one is given. */
export const isListed = async (
  modelId: string,
  provider?: Exclude<ProviderName, 'generic-openai'>,
): Promise<boolean> =>
  (await listed(modelId, provider ? catalogOf({ provider, credentials: {} }) : {})) !== null;

/** Where the price catalog lists a provider's models. Generic servers are found by their URL, if at all. */
const catalogOf = ({
  provider,
  credentials,
}: Pick<ResolvedModel, 'provider' | 'credentials'>): PriceOptions =>
  provider === 'generic-openai'
    ? { providerApiUrl: credentials.baseUrl ?? '' }
    : { providerId: catalogNames[provider] ?? provider };

const catalogNames: Partial<Record<ProviderName, string>> = {
  bedrock: 'aws',
  xai: 'x-ai',
  togetherai: 'together',
};

const baseOf = (rate: Rate) => (typeof rate === 'number' ? rate : rate.base);

const loadPrices = loadOnce(() => import('@pydantic/genai-prices'));
const entries = loadingCache<Price | null>({ entriesMax: 500, charactersMax: 1_000_000 });

const listed = (modelId: string, where: PriceOptions) =>
  entries(JSON.stringify({ modelId, where }), () => lookUp(modelId, where));

/** Reads the package's own data; never uses the network. */
async function lookUp(modelId: string, where: PriceOptions): Promise<Price | null> {
  const { calcPrice } = await loadPrices();
  const prices = calcPrice({}, modelId, where)?.model_price;
  const { input_mtok: input, output_mtok: output } = prices ?? {};
  if (input === undefined) return null;
  return { input, output, cacheRead: prices?.cache_read_mtok, cacheWrite: prices?.cache_write_mtok };
}
