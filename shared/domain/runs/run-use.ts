import * as z from 'zod';
import {
  addSpending,
  formatCost,
  noSpending,
  parseCost,
  type Spending,
} from '../../adapters/ports/spending.ts';
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
