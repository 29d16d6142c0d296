/**
 * Converts and adds up what runs spend: tokens, costs, savings, warnings, and the calls of each model.
 * Three forms have the same content: `Spending` for computing, `RunUse` and `RunTotals` as stored with runs, and the
 * members of a step's result. Costs are exact decimal texts; `null` means that a call has no known price, and a sum
 * with one stays known to be incomplete. A result that is only the sum of others counts nothing, and what was taken
 * over from an earlier run counts as saved.
 * Pure. The recorders of flows, agents and batches add with it; lists, metrics and reports of runs read the same forms.
 */
import Big from 'big.js';
import * as z from 'zod';
import {
  addSpending,
  formatCost,
  noSpending,
  parseCost,
  type Spending,
  sumSpending,
} from '../../adapters/ports/spending.ts';
import { mergeWarnings, type Warning } from '../../core/warnings.ts';
import type { ModelCall } from '../model-usage/model-calls.ts';
import { mergeSketch, SketchCounts, toSketch } from './sketch.ts';

export const RunTokens = z.object({
  input: z.int(),
  output: z.int(),
  cachedInput: z.int(),
  reasoning: z.int(),
});
export type RunTokens = z.infer<typeof RunTokens>;

export const toRunTokens = (spending: Spending): RunTokens => ({
  input: spending.inputTokens,
  output: spending.outputTokens,
  cachedInput: spending.cachedInputTokens,
  reasoning: spending.reasoningTokens,
});

/** The calls of one model. */
const ModelUse = z.object({
  calls: z.int(),
  /** How many of them failed: they broke off, or the provider refused them. */
  failed: z.int(),
  tokens: RunTokens,
  /** USD as decimal text; null if a call has no known price. */
  cost: z.string().nullable(),
  /** How long the calls took. */
  durations: SketchCounts,
});
export type ModelUse = z.infer<typeof ModelUse>;

/** By `<provider>/<modelId>`. */
export const RunUse = z.record(z.string(), ModelUse);
export type RunUse = z.infer<typeof RunUse>;

export const runUse = (calls: readonly ModelCall[]): RunUse =>
  calls
    .map(({ model, isBrokenOff, durationMs, ...call }) => {
      const use = { ...call, calls: 1, failed: isBrokenOff ? 1 : 0, durations: toSketch([durationMs]) };
      return { [model]: toModelUse(use) };
    })
    .reduce(mergeUse, {});

/** The calls of one model in this process. */
export type ModelSpending = Spending & Pick<ModelUse, 'calls' | 'failed' | 'durations'>;

export const toModelUse = ({ calls, failed, durations, ...spending }: ModelSpending): ModelUse => ({
  calls,
  failed,
  tokens: toRunTokens(spending),
  cost: formatCost(spending),
  durations,
});

export const parseModelUse = ({ tokens, cost, ...use }: ModelUse): ModelSpending => ({
  ...use,
  ...noSpending,
  inputTokens: tokens.input,
  outputTokens: tokens.output,
  cachedInputTokens: tokens.cachedInput,
  reasoningTokens: tokens.reasoning,
  ...parseCost(cost),
});

export function mergeUse(one: RunUse, other: RunUse): RunUse {
  const merged = { ...one };
  for (const [model, use] of Object.entries(other)) {
    const before = merged[model];
    merged[model] = before ? addUse(before, use) : use;
  }
  return merged;
}

const addUse = (one: ModelUse, other: ModelUse): ModelUse =>
  toModelUse({
    ...addSpending(parseModelUse(one), parseModelUse(other)),
    calls: one.calls + other.calls,
    failed: one.failed + other.failed,
    durations: mergeSketch(one.durations, other.durations),
  });

/** What a run took, with the runs inside; the calls of models without those of listed runs inside. */
export interface RunTotals extends Spending {
  /** USD that results cost when they were made, which were taken over. */
  saved: Big;
  use: RunUse;
  warnings: readonly Warning[];
}

export const noTotals: RunTotals = { ...noSpending, saved: new Big(0), use: {}, warnings: [] };

export const addTotals = (one: RunTotals, other: RunTotals): RunTotals => ({
  ...addSpending(one, other),
  saved: one.saved.plus(other.saved),
  use: mergeUse(one.use, other.use),
  warnings: mergeWarnings(one.warnings, other.warnings),
});

type SpendingOfStep = StepSpending & { stepId?: string | undefined };

export const totalsOfStep = (step: SpendingOfStep, use: RunUse = {}): RunTotals => ({
  ...(step.isSum ? noTotals : { ...parseStepSpending(step), saved: new Big(step.savedCost ?? 0) }),
  use,
  warnings: stepWarnings(step),
});

/** The warnings of a step itself: those of the steps in it are theirs. */
const stepWarnings = ({ warnings = [], stepId }: SpendingOfStep): Warning[] =>
  warnings.map((warning) => ({ ...(stepId && { stepId }), ...warning }));

/** Of calls that belong to no result. */
export const totalsOfCalls = (calls: readonly ModelCall[]): RunTotals => ({
  ...noTotals,
  ...sumSpending(calls),
  use: runUse(calls),
});

/** What a step took, in the members of its result, which are stored and sent. Parts and savings of nothing are missing. */
export interface StepSpending {
  promptTokens?: number | undefined;
  completionTokens?: number | undefined;
  cachedTokens?: number | undefined;
  reasoningTokens?: number | undefined;
  /** USD as decimal text; null if a call has no known price. */
  estimatedCost?: string | null | undefined;
  savedCost?: string | null | undefined;
  cacheSavings?: string | undefined;
  warnings?: readonly Warning[] | undefined;
  /** Whether it is the sum of steps that count by themselves. */
  isSum?: true | undefined;
}

export const toStepSpending = (spending: Spending) => ({
  promptTokens: spending.inputTokens,
  completionTokens: spending.outputTokens,
  ...(spending.cachedInputTokens > 0 && { cachedTokens: spending.cachedInputTokens }),
  ...(spending.reasoningTokens > 0 && { reasoningTokens: spending.reasoningTokens }),
  ...(!spending.cacheSavings.eq(0) && { cacheSavings: spending.cacheSavings.toFixed() }),
  estimatedCost: formatCost(spending),
});

export const parseStepSpending = (step: StepSpending): Spending => ({
  inputTokens: step.promptTokens ?? 0,
  outputTokens: step.completionTokens ?? 0,
  cachedInputTokens: step.cachedTokens ?? 0,
  reasoningTokens: step.reasoningTokens ?? 0,
  ...parseCost(step.estimatedCost),
  cacheSavings: new Big(step.cacheSavings ?? 0),
});
