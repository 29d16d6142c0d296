import type { ModelCallSource, ModelFinish } from '../../adapters/ports/model-port.ts';
import { addSpending, measureCall, type Spending } from '../../adapters/ports/spending.ts';

/** The calls of one model with one key, added up. */
export interface ModelCalls extends Spending {
  /** `<provider>/<modelId>` */
  model: string;
  keySource: ModelFinish['keySource'];
  configId: string | undefined;
  providerKeyId: string | undefined;
  calls: number;
}

/** One call: what is counted of it, and what its run shows. */
export interface ModelCall extends ModelCalls {
  isBrokenOff: boolean;
  durationMs: number;
}

export const createModelCall = ({
  modelUsed,
  keySource,
  configId,
  providerKeyId,
  durationMs,
  isBrokenOff = false,
  ...charge
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
  ...measureCall(charge),
  isBrokenOff,
  durationMs,
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
  return [...groups.values()].map((same) => same.reduce(addCalls));
}

const addCalls = (one: ModelCalls, other: ModelCalls): ModelCalls => ({
  ...one,
  calls: one.calls + other.calls,
  ...addSpending(one, other),
});
