import Big from 'big.js';
import type { ModelCallSource, ModelFinish } from '../../adapters/ports/model-port.ts';

/** The calls of one model with one key, added up. */
export interface ModelCalls {
  /** `<provider>/<modelId>` */
  model: string;
  keySource: ModelFinish['keySource'];
  configId: string | undefined;
  providerKeyId: string | undefined;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  /** Those of the input that were read from a cache. */
  cachedInputTokens: number;
  /** USD of the calls with a known price. */
  cost: Big;
  /** USD that caches of providers saved; negative if writing to them cost more. */
  cacheSavings: Big;
  /** How many of the calls have no known price. */
  unpriced: number;
}

/** One call: what is counted of it, and what its run shows. */
export interface ModelCall extends ModelCalls {
  /** Part of the output. */
  reasoningTokens: number;
  isBrokenOff: boolean;
  durationMs: number;
}

export const createModelCall = ({
  modelUsed,
  keySource,
  configId,
  providerKeyId,
  usage,
  cost,
  cacheSavings = '0',
  durationMs,
  isBrokenOff = false,
}: ModelCallSource &
  Pick<ModelFinish, 'cost' | 'cacheSavings' | 'usage'> & {
    durationMs: number;
    isBrokenOff?: boolean;
  }): ModelCall => ({
  model: modelUsed,
  keySource,
  configId,
  providerKeyId,
  calls: 1,
  inputTokens: usage?.inputTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
  cachedInputTokens: usage?.cacheReadTokens ?? 0,
  reasoningTokens: usage?.reasoningTokens ?? 0,
  isBrokenOff,
  durationMs,
  cost: new Big(cost ?? 0),
  cacheSavings: new Big(cacheSavings),
  unpriced: cost === null ? 1 : 0,
});

/** One that the provider did not answer. Nobody pays for it, so it is no call in the usage. */
export const createRefusedCall = (source: ModelCallSource, durationMs: number): ModelCall => ({
  ...createModelCall({ ...source, usage: null, cost: '0', durationMs, isBrokenOff: true }),
  calls: 0,
});

/** Without those that the provider did not answer. */
export function mergeCalls(calls: readonly ModelCalls[]): ModelCalls[] {
  const answered = calls.filter((each) => each.calls > 0);
  const groups = Map.groupBy(answered, ({ model, keySource, configId, providerKeyId }) =>
    JSON.stringify([model, keySource, configId, providerKeyId]),
  );
  return [...groups.values()].map((same) => same.reduce(addModelCalls));
}

export const addModelCalls = (one: ModelCalls, other: ModelCalls): ModelCalls => ({
  ...one,
  calls: one.calls + other.calls,
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  cost: one.cost.plus(other.cost),
  cacheSavings: one.cacheSavings.plus(other.cacheSavings),
  unpriced: one.unpriced + other.unpriced,
});
