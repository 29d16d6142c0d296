import Big from 'big.js';
import type { ModelOffer } from '../../adapters/models/catalog.ts';
import type { ModelPrice } from '../../adapters/models/cost.ts';
import type { ConfigSettings } from './config-settings.ts';
import type { KeyStatus } from './key-choice.ts';

/** Exactly the decimals of the request. Undefined if it states none, or if the deployment pays for a model of the catalog. */
export function findStatedPrice(
  { customModel }: ConfigSettings,
  status: KeyStatus,
  offer: ModelOffer | undefined,
): ModelPrice | undefined {
  if (!customModel || (status === 'platform' && offer)) return undefined;
  const { inputCostPer1kTokens, outputCostPer1kTokens } = customModel;
  const toPerMillion = (perThousand: number) => new Big(perThousand).times(1_000).toFixed();
  return { input: toPerMillion(inputCostPer1kTokens), output: toPerMillion(outputCostPer1kTokens) };
}
