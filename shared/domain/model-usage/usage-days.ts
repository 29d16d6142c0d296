import Big from 'big.js';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable, type ItemOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toDollars } from './cost-units.ts';
import type { ModelCalls } from './model-calls.ts';
import { type Counter, counterNames, toCounterAttribute, usageEntity, usageRange } from './usage.ts';

export interface UsageDay extends ModelCalls {
  /** `2026-11-22`, in UTC. */
  date: string;
}

interface UsageMonth extends Pick<ModelCalls, 'model' | 'keySource' | 'configId' | 'providerKeyId'> {
  lastAt: string;
  days: UsageDay[];
}

/** Both months (`2026-11`) included. A model takes at most four items of 3 KB a month, however many runs there were. */
export const usageMonths = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope) =>
    async (flowId: string | null, from: string, to: string): Promise<UsageMonth[]> => {
      const items = await table.queryAll(usageRange(flowId, from, to));
      return decodeReadable(usageEntity, items).map(splitMonth);
    },
);

function splitMonth({
  month,
  model,
  keySource,
  configId,
  providerKeyId,
  lastAt,
  ...item
}: ItemOf<typeof usageEntity>): UsageMonth {
  const source = { model, keySource, configId, providerKeyId };
  const counters = item as Readonly<Record<string, Big | undefined>>;
  const days = listDays(counters).map((day): UsageDay => {
    const count = (counter: Counter) => counters[toCounterAttribute(counter, day)] ?? new Big(0);
    return {
      ...source,
      date: `${month}-${day}`,
      calls: count('calls').toNumber(),
      inputTokens: count('inputTokens').toNumber(),
      outputTokens: count('outputTokens').toNumber(),
      cachedInputTokens: count('cachedInputTokens').toNumber(),
      // Not counted.
      reasoningTokens: 0,
      unpriced: count('unpriced').toNumber(),
      cost: toDollars(count('cost')),
      cacheSavings: toDollars(count('cacheSavings')),
    };
  });
  return { ...source, lastAt, days };
}

/** The days of the counters, as `07`. */
const listDays = (counters: object): string[] =>
  [
    ...new Set(
      Object.keys(counters)
        .filter(isCounter)
        .map((name) => name.slice(1)),
    ),
  ].toSorted();

const letters = new Set(counterNames.map((counter) => toCounterAttribute(counter, '')));
const isCounter = (name: string) => /^[a-z]\d\d$/.test(name) && letters.has(name.charAt(0));
