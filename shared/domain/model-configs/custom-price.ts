import Big from 'big.js';
import type { ModelOffer } from '../../adapters/models/catalog.ts';
import type { ModelPrice } from '../../adapters/models/cost.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { KeyStatus } from './key-choice.ts';

/** Exactly the decimals of the request. Undefined if it states none, or if the deployment pays for a model of the catalog. */
export function statedPrice(
  { customModel }: ConfigSettings,
  status: KeyStatus,
  offer: ModelOffer | undefined,
): ModelPrice | undefined {
  if (!customModel || (status === 'platform' && offer)) return undefined;
  const { inputCostPer1kTokens, outputCostPer1kTokens } = customModel;
  const perMillion = (perThousand: number) => new Big(perThousand).times(1_000).toFixed();
  return { input: perMillion(inputCostPer1kTokens), output: perMillion(outputCostPer1kTokens) };
}
