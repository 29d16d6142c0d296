import Big from 'big.js';
import { mergeWarnings, type Warning } from '../../core/warnings.ts';
import type { ModelCall } from '../model-usage/model-calls.ts';
import { addTokens, callTokens, mergeUse, noTokens, type RunTokens, type RunUse, runUse } from './run-use.ts';

/** What a run took: cost and tokens with the runs inside, the calls of models without those of listed runs inside. */
export interface RunTotals {
  tokens: RunTokens;
  /** USD of the calls with a known price. */
  cost: Big;
  /** USD that results cost when they were made, which were taken over. */
  saved: Big;
  /** USD that caches of providers saved; negative if writing to them cost more. */
  cacheSavings: Big;
  isPriced: boolean;
  use: RunUse;
  warnings: readonly Warning[];
}

export const noTotals: RunTotals = {
  tokens: noTokens,
  cost: new Big(0),
  saved: new Big(0),
  cacheSavings: new Big(0),
  isPriced: true,
  use: {},
  warnings: [],
};

export const addTotals = (one: RunTotals, other: RunTotals): RunTotals => ({
  tokens: addTokens(one.tokens, other.tokens),
  cost: one.cost.plus(other.cost),
  saved: one.saved.plus(other.saved),
  cacheSavings: one.cacheSavings.plus(other.cacheSavings),
  isPriced: one.isPriced && other.isPriced,
  use: mergeUse(one.use, other.use),
  warnings: mergeWarnings(one.warnings, other.warnings),
});

/** What a step took, without its use of models. */
export interface StepSpending {
  promptTokens?: number | undefined;
  completionTokens?: number | undefined;
  cachedTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  estimatedCost?: string | null | undefined;
  savedCost?: string | null | undefined;
  cacheSavings?: string | undefined;
  warnings?: readonly Warning[] | undefined;
  stepId?: string | undefined;
  /** Whether it is the sum of steps that count by themselves. */
  isSum?: true | undefined;
}

export const totalsOfStep = (step: StepSpending, use: RunUse = {}): RunTotals =>
  step.isSum ? { ...noTotals, use, warnings: stepWarnings(step) } : toTotals(step, use);

/** The warnings of a step itself: those of the steps in it are theirs. */
export const stepWarnings = ({ warnings = [], stepId }: StepSpending): Warning[] =>
  warnings.map((warning) => ({ ...(stepId && { stepId }), ...warning }));

const toTotals = (step: StepSpending, use: RunUse): RunTotals => ({
  tokens: {
    input: step.promptTokens ?? 0,
    output: step.completionTokens ?? 0,
    cachedInput: step.cachedTokens ?? 0,
    reasoning: step.reasoningTokens ?? 0,
  },
  cost: new Big(step.estimatedCost ?? 0),
  saved: new Big(step.savedCost ?? 0),
  cacheSavings: new Big(step.cacheSavings ?? 0),
  isPriced: step.estimatedCost !== null,
  use,
  warnings: stepWarnings(step),
});

/** Of calls that belong to no result. */
export const totalsOfCalls = (calls: readonly ModelCall[]): RunTotals => ({
  tokens: calls.map(callTokens).reduce(addTokens, noTokens),
  cost: calls.reduce((sum, { cost }) => sum.plus(cost), new Big(0)),
  saved: new Big(0),
  cacheSavings: calls.reduce((sum, { cacheSavings }) => sum.plus(cacheSavings), new Big(0)),
  isPriced: calls.every(({ unpriced }) => unpriced === 0),
  use: runUse(calls),
  warnings: [],
});
