import Big from 'big.js';
import type { Price } from '../../adapters/models/cost.ts';
import type { ConfigSettings } from './config-settings.ts';

/** The price that a config itself states, which is exactly the decimal that the request had. */
export function priceOfCustomModel({
  inputCostPer1kTokens,
  outputCostPer1kTokens,
}: NonNullable<ConfigSettings['customModel']>): Price {
  const perMillion = (perThousand: number) => new Big(perThousand).times(1_000).toFixed();
  return { input: perMillion(inputCostPer1kTokens), output: perMillion(outputCostPer1kTokens) };
}
