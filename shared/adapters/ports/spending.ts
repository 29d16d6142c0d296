/**
 * What calls of models took: tokens and money. The one value of it: a call yields one, and steps, turns, runs, batches, days and
 * conversations add theirs up.
 * Whatever is stored or sent in another form has its codec beside that form: `StepSpending` (`run-use.ts`), `ModelUse`
 * (`run-use.ts`), `FactSpending` (`facts.ts`), the counters of usage, slots, records and conversations.
 */
import Big from 'big.js';
import type { ModelFinish } from './model-port.ts';

export interface Spending {
  inputTokens: number;
  outputTokens: number;
  /** Those of the input that were read from a cache of the provider. */
  cachedInputTokens: number;
  /** Those of the output. */
  reasoningTokens: number;
  /** USD of what has a known price. */
  cost: Big;
  /** How many have no known price. */
  unpriced: number;
  /** USD that caches of providers saved; negative if writing to them cost more. */
  cacheSavings: Big;
}

const zero = /* @__PURE__ */ new Big(0);

export const noSpending: Spending = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
  cost: zero,
  unpriced: 0,
  cacheSavings: zero,
};

export const addSpending = (one: Spending, other: Spending): Spending => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  cost: one.cost.plus(other.cost),
  unpriced: one.unpriced + other.unpriced,
  cacheSavings: one.cacheSavings.plus(other.cacheSavings),
});

export const sumSpending = (all: readonly Spending[]): Spending => all.reduce(addSpending, noSpending);

export const measureCall = ({
  usage,
  cost,
  cacheSavings = '0',
}: Pick<ModelFinish, 'usage' | 'cost' | 'cacheSavings'>): Spending => ({
  inputTokens: usage?.inputTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
  cachedInputTokens: usage?.cacheReadTokens ?? 0,
  reasoningTokens: usage?.reasoningTokens ?? 0,
  ...parseCost(cost),
  cacheSavings: new Big(cacheSavings),
});

/** USD as decimal text; null if a part has no known price. */
export const formatCost = ({ cost, unpriced }: Pick<Spending, 'cost' | 'unpriced'>): string | null =>
  unpriced > 0 ? null : cost.toFixed();

/** Of a `formatCost`; missing if nothing was spent. */
export const parseCost = (cost: string | null | undefined): Pick<Spending, 'cost' | 'unpriced'> => ({
  cost: cost ? new Big(cost) : zero,
  unpriced: cost === null ? 1 : 0,
});
