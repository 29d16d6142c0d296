import Big from 'big.js';
import type { ModelUsage } from '../ports/model-port.ts';

/** USD per million tokens, as decimal text, so that it stays exact. */
export interface Rates {
  input: string;
  /** Absent for embedding models. */
  output?: string | undefined;
  /** Without it, tokens read from a cache cost as much as others. */
  cacheRead?: string | undefined;
  cacheWrite?: string | undefined;
}

/** With tiers, the rates of the highest tier that the call's input exceeds apply to the whole call. */
export interface ModelPrice extends Rates {
  tiers?: readonly (Rates & { above: number })[] | undefined;
}

const perToken = new Big('0.000001');

/** The exact cost of a call in USD, as decimal text without exponent; null if a part of it has no price. */
export function callCost(price: ModelPrice, usage: ModelUsage): string | null {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const { input, output, cacheRead = input, cacheWrite = input } = selectRates(price, inputTokens);
  if (output === undefined && outputTokens > 0) return null;
  const cost = (tokens: number, rate: string) => new Big(rate).times(tokens);
  return cost(inputTokens - cacheReadTokens - cacheWriteTokens, input)
    .plus(cost(cacheReadTokens, cacheRead))
    .plus(cost(cacheWriteTokens, cacheWrite))
    .plus(cost(outputTokens, output ?? '0'))
    .times(perToken)
    .toFixed();
}

/** The most that a call costs in USD: its input is charged as a whole, at the rate of writing to a cache if that is higher. */
export function boundCallCost(
  price: ModelPrice,
  usage: Pick<ModelUsage, 'inputTokens' | 'outputTokens'>,
): string | null {
  const { input, cacheWrite = input } = selectRates(price, usage.inputTokens);
  const isWriteDearer = new Big(cacheWrite).gt(input);
  return callCost(price, { ...usage, ...(isWriteDearer && { cacheWriteTokens: usage.inputTokens }) });
}

/**
 * What the cache of the provider saved in USD, as decimal text: what the tokens would have cost as other input, minus what
 * they cost. Negative if writing cost more than reading saved. Undefined if the call did not use the cache.
 */
export function callCacheSavings(price: ModelPrice, usage: ModelUsage): string | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (cacheReadTokens + cacheWriteTokens === 0) return undefined;
  const { input, cacheRead = input, cacheWrite = input } = selectRates(price, inputTokens);
  const computeSaving = (tokens: number, rate: string) => new Big(input).minus(rate).times(tokens);
  return computeSaving(cacheReadTokens, cacheRead)
    .plus(computeSaving(cacheWriteTokens, cacheWrite))
    .times(perToken)
    .toFixed();
}

function selectRates({ tiers = [], ...base }: ModelPrice, inputTokens: number): Rates {
  const reached = tiers.filter(({ above }) => inputTokens > above);
  return reached.toSorted((one, other) => other.above - one.above)[0] ?? base;
}

/** What a price shows as in lists: USD per 1,000 tokens. */
export interface ShownPrice {
  input: number;
  output: number;
  /** Three parts input and one part output, which is a usual ratio; for embeddings the input alone. */
  blended: number;
}

export function toShownPrice({ input, output }: Rates): ShownPrice {
  const toPerThousand = (perMillion: Big) => perMillion.div(1_000).toNumber();
  const [inputRate, outputRate] = [new Big(input), new Big(output ?? 0)];
  const blended = output === undefined ? inputRate : inputRate.times(3).plus(outputRate).times('0.25');
  return {
    input: toPerThousand(inputRate),
    output: toPerThousand(outputRate),
    blended: toPerThousand(blended),
  };
}
