import Big from 'big.js';
import { type Catalog, findOffer } from '../../adapters/models/catalog.ts';
import type { ModelPrice, Rates } from '../../adapters/models/cost.ts';
import type { ModelLimits, PriceTier } from '../../adapters/ports/model-port.ts';
import type { ModelSelection } from './select-model.ts';

export function listSelectionLimits(
  { provider, modelId, config, price }: Pick<ModelSelection, 'provider' | 'modelId' | 'config' | 'price'>,
  catalog: Catalog,
): ModelLimits {
  const offer = findOffer(catalog, provider, modelId);
  const rates = price ?? offer?.price;
  return {
    contextTokens: offer?.context,
    outputTokens: config?.settings.customModel?.maxOutputTokens ?? (offer?.maxOutput || undefined),
    maxTokens: config?.settings.maxTokens,
    prices: rates && listTiers(rates),
  };
}

const listTiers = ({ tiers = [], ...base }: ModelPrice): PriceTier[] =>
  [{ ...base, above: 0 }, ...tiers].map((tier) => ({
    above: tier.above,
    input: getHighestInput(tier),
    output: tier.output ?? '0',
  }));

const getHighestInput = ({ input, cacheRead = input, cacheWrite = input }: Rates): string =>
  [input, cacheRead, cacheWrite].reduce((one, other) => (new Big(one).gt(other) ? one : other));
