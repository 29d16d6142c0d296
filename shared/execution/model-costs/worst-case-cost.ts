import Big from 'big.js';
import type { ModelLimits, PriceTier } from '../../adapters/ports/model-port.ts';

export interface NextCall {
  /** Estimated. */
  inputTokens: number;
  /** The limit that the request states for the response. */
  maxTokens?: number | undefined;
}

/** A response of fewer tokens says nothing. */
export const responseTokensMin = 256;

const perToken = new Big('0.000001');

/** The longest response that a call may have; undefined if nothing limits it. */
export function longestResponse(
  { inputTokens, maxTokens }: NextCall,
  limits: ModelLimits,
): number | undefined {
  const { contextTokens, outputTokens } = limits;
  const left = contextTokens === undefined ? undefined : Math.max(0, contextTokens - inputTokens);
  const known = [maxTokens ?? limits.maxTokens, outputTokens, left].filter((each) => each !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/**
 * The highest cost of a call in USD, with the longest response and no use of a cache; undefined if its price or the
 * length of its response has no known limit.
 */
export function worstCaseCost(call: NextCall, limits: ModelLimits): Big | undefined {
  const output = longestResponse(call, limits);
  const tier = tierFor(call, limits);
  if (output === undefined || !tier) return undefined;
  return inputCost(call, tier).plus(new Big(tier.output).times(output).times(perToken));
}

/**
 * The longest response that a budget in USD pays for, after the input; 0 if it does not even pay for that. Undefined if
 * the price is unknown, or if the response costs nothing.
 */
export function affordableTokens(budget: Big, call: NextCall, limits: ModelLimits): number | undefined {
  const tier = tierFor(call, limits);
  if (!tier || new Big(tier.output).eq(0)) return undefined;
  const left = budget.minus(inputCost(call, tier));
  if (left.lte(0)) return 0;
  return left.div(new Big(tier.output).times(perToken)).round(0, Big.roundDown).toNumber();
}

const inputCost = ({ inputTokens }: NextCall, { input }: PriceTier) =>
  new Big(input).times(inputTokens).times(perToken);

const tierFor = ({ inputTokens }: NextCall, { prices = [] }: ModelLimits): PriceTier | undefined =>
  prices
    .filter(({ above }) => above === 0 || inputTokens > above)
    .toSorted((one, other) => other.above - one.above)[0];
