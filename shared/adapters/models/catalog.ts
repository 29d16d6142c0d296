import type { PriceOptions } from '@pydantic/genai-prices';
import { StepError } from '../../core/step-error.ts';
import type { Price, Rate } from './cost.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { isProviderName, type ProviderName, providerNames, providers } from './providers.ts';

export interface ModelName {
  provider: ProviderName;
  modelId: string;
}

/**
 * The provider and the id that a model's name means: `<provider>/<modelId>` says both; a model id of the catalog
 * goes to the configured provider that sells it cheapest, else to a generic server, which may have any model.
 * @throws StepError
 */
export async function resolveModel(name: string, keys: ProviderKeys): Promise<ModelName> {
  const [, provider, modelId] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (!provider || !modelId) return cheapest(name, keys);
  if (!isProviderName(provider)) {
    throw new StepError(`There is no model provider ${provider}; there are ${providerNames.join(', ')}`);
  }
  if (!keys[providers[provider].requires]) {
    throw new StepError(
      `The model provider ${provider} is not configured: set ${providers[provider].requires}`,
    );
  }
  return { provider, modelId };
}

async function cheapest(modelId: string, keys: ProviderKeys): Promise<ModelName> {
  const usable = providerNames.filter((name) => keys[providers[name].requires]);
  const offers = await Promise.all(
    usable.map(async (provider) => ({
      provider,
      price: await listed(modelId, providers[provider].catalog(keys)),
    })),
  );
  const total = ({ input, output }: Price) => baseOf(input) + baseOf(output ?? 0);
  const priced = offers.flatMap(({ provider, price }) => (price ? [{ provider, cost: total(price) }] : []));
  const best = priced.toSorted((one, other) => one.cost - other.cost)[0]?.provider;
  if (best) return { provider: best, modelId };
  if (!(await listed(modelId, {}))) {
    throw new StepError(
      `There is no model ${modelId} in the catalog; name other models as <provider>/${modelId}`,
    );
  }
  if (usable.includes('generic-openai')) return { provider: 'generic-openai', modelId };
  const variables = providerNames.map((name) => providers[name].requires).join(', ');
  throw new StepError(
    `No configured model provider has ${modelId}; providers are configured by ${variables}`,
  );
}

/** What a model costs, or null where the catalog does not know. */
export async function priceOf({ provider, modelId }: ModelName, keys: ProviderKeys): Promise<Price | null> {
  const own = await listed(modelId, providers[provider].catalog(keys));
  return own ?? (provider === 'generic-openai' ? listed(modelId, {}) : null);
}

/** Whether the catalog knows a model, or knows that this provider sells it. */
export const isListed = async (
  modelId: string,
  provider?: Exclude<ProviderName, 'generic-openai'>,
): Promise<boolean> => (await listed(modelId, provider ? { providerId: provider } : {})) !== null;

const baseOf = (rate: Rate) => (typeof rate === 'number' ? rate : rate.base);

/** The entry of the package's own data; it never asks the network. */
async function listed(modelId: string, where: PriceOptions): Promise<Price | null> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const prices = calcPrice({}, modelId, where)?.model_price;
  const { input_mtok: input, output_mtok: output } = prices ?? {};
  if (input === undefined) return null;
  return { input, output, cacheRead: prices?.cache_read_mtok, cacheWrite: prices?.cache_write_mtok };
}
