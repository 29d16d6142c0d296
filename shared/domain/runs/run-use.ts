import Big from 'big.js';
import * as z from 'zod';
import type { ModelCall } from '../model-usage/model-calls.ts';
import { mergeSketch, SketchCounts, toSketch } from './sketch.ts';

export const RunTokens = z.object({
  input: z.int(),
  output: z.int(),
  cachedInput: z.int(),
  reasoning: z.int(),
});
export type RunTokens = z.infer<typeof RunTokens>;

export const noTokens: RunTokens = { input: 0, output: 0, cachedInput: 0, reasoning: 0 };

export const addTokens = (one: RunTokens, other: RunTokens): RunTokens => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cachedInput: one.cachedInput + other.cachedInput,
  reasoning: one.reasoning + other.reasoning,
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
  calls.map((call) => ({ [call.model]: toModelUse(call) })).reduce(mergeUse, {});

const toModelUse = (call: ModelCall): ModelUse => ({
  calls: 1,
  failed: call.isBrokenOff ? 1 : 0,
  tokens: callTokens(call),
  cost: call.unpriced > 0 ? null : call.cost.toFixed(),
  durations: toSketch([call.durationMs]),
});

export const callTokens = (call: ModelCall): RunTokens => ({
  input: call.inputTokens,
  output: call.outputTokens,
  cachedInput: call.cachedInputTokens,
  reasoning: call.reasoningTokens,
});

export function mergeUse(one: RunUse, other: RunUse): RunUse {
  const merged = { ...one };
  for (const [model, use] of Object.entries(other)) {
    const before = merged[model];
    merged[model] = before ? addUse(before, use) : use;
  }
  return merged;
}

const addUse = (one: ModelUse, other: ModelUse): ModelUse => ({
  calls: one.calls + other.calls,
  failed: one.failed + other.failed,
  tokens: addTokens(one.tokens, other.tokens),
  cost: one.cost === null || other.cost === null ? null : new Big(one.cost).plus(other.cost).toFixed(),
  durations: mergeSketch(one.durations, other.durations),
});
