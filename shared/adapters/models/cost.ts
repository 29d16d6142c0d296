import Big from 'big.js';
import type { ModelUsage } from '../model-port.ts';

/** USD per million tokens. With tiers, the price of the highest tier that the call's input exceeds. */
export type Rate = number | { base: number; tiers: { start: number; price: number }[] };

export interface Price {
  input: Rate;
  /** Absent for embedding models. */
  output?: Rate | undefined;
  cacheRead?: Rate | undefined;
  cacheWrite?: Rate | undefined;
}

const perToken = new Big('0.000001');

/** The exact cost of a call in USD, as decimal text without exponent; null if a part of it has no price. */
export function costOf(price: Price, usage: ModelUsage): string | null {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (price.output === undefined && outputTokens > 0) return null;
  const cost = (tokens: number, rate: Rate) => new Big(rateFor(rate, inputTokens)).times(tokens);
  return cost(inputTokens - cacheReadTokens - cacheWriteTokens, price.input)
    .plus(cost(cacheReadTokens, price.cacheRead ?? price.input))
    .plus(cost(cacheWriteTokens, price.cacheWrite ?? price.input))
    .plus(cost(outputTokens, price.output ?? 0))
    .times(perToken)
    .toFixed();
}

function rateFor(rate: Rate, inputTokens: number): number {
  if (typeof rate === 'number') return rate;
  const reached = rate.tiers.filter(({ start }) => inputTokens > start);
  return reached.toSorted((one, other) => other.start - one.start)[0]?.price ?? rate.base;
}
