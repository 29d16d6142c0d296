import { randomInt } from 'node:crypto';
import * as z from 'zod';
import { unixSeconds } from '../../core/time.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { toCostUnits, WholeNumber } from './cost-units.ts';
import { type ModelCalls, mergeCalls } from './model-calls.ts';

/** The counters of one day. Costs and savings are in units; `unpriced` counts calls without a known price. */
const counters = {
  calls: 'c',
  inputTokens: 'i',
  outputTokens: 'o',
  cachedInputTokens: 'k',
  cost: 'u',
  cacheSavings: 's',
  unpriced: 'x',
} as const;
export type Counter = keyof typeof counters;
export const counterNames = Object.keys(counters) as Counter[];

/** The attribute with a day's counter: `c07` has the calls of the seventh. Short, since items pay by size. */
export const toCounterAttribute = (counter: Counter, day: string) => `${counters[counter]}${day}`;

const days = Array.from({ length: 31 }, (_, index) => String(index + 1).padStart(2, '0'));
const dayCounters = Object.fromEntries(
  days.flatMap((day) =>
    counterNames.map((counter) => [toCounterAttribute(counter, day), WholeNumber.optional()]),
  ),
);

/** The model calls of all flows, or of one flow. */
const toUsagePartition = (flowId: string | null) => tenantPartition(flowId ? `USAGE#${flowId}` : 'USAGE');

/** Processes that count in one item make each other's transactions wait, so each process has one of some items. */
const shards = 32;
const ownShard = randomInt(shards);

/** What a flow used is kept for a year and a month; what the tenant used, for ever. */
const flowUsageTtlSeconds = 400 * 86_400;

interface UsageKey extends Pick<ModelCalls, 'model' | 'keySource' | 'configId' | 'providerKeyId'> {
  flowId: string | null;
  /** `2026-11` */
  month: string;
  shard: number;
}

export const usageEntity = defineEntity({
  type: 'modelUsage',
  schema: z.object({
    month: z.string(),
    model: z.string(),
    keySource: z.enum(['platform', 'custom']),
    configId: z.string().optional(),
    providerKeyId: z.string().optional(),
    /** When the last call was counted. */
    lastAt: z.string(),
    ttl: z.int().optional(),
    ...dayCounters,
  }),
  key: ({ flowId, month, model, keySource, configId = '', providerKeyId = '', shard }: UsageKey) => ({
    PK: toUsagePartition(flowId),
    SK: `${month}#${model}#${keySource}#${configId}#${providerKeyId}#${shard}`,
  }),
});

/** The months from one to another, both included, as `2026-11`. */
export const usageRange = (flowId: string | null, from: string, to: string) => ({
  partition: toUsagePartition(flowId),
  from: `${from}#`,
  to: `${to}#~`,
});

/** Model calls to count. `flowId` is null for flows that are not stored. */
export interface CallsOfFlow {
  flowId: string | null;
  calls: readonly ModelCalls[];
}

/** One write per counter item: a transaction takes one write per item. Commit them with the results of the calls. */
export function usageWrites(
  { table, now }: Pick<Scope, 'table' | 'now'>,
  spent: readonly CallsOfFlow[],
): Write[] {
  const at = now();
  const ttl = unixSeconds(at) + flowUsageTtlSeconds;
  const byFlow = Map.groupBy(spent, ({ flowId }) => flowId);
  byFlow.delete(null);
  const ofAll = mergeCalls(spent.flatMap(({ calls }) => calls));
  return [
    ...ofAll.map((calls) => createUsageWrite(table.writes, calls, null, at)),
    ...[...byFlow].flatMap(([flowId, same]) =>
      mergeCalls(same.flatMap(({ calls }) => calls)).map((calls) =>
        createUsageWrite(table.writes, calls, flowId, at, { ttl }),
      ),
    ),
  ];
}

function createUsageWrite(
  writes: Scope['table']['writes'],
  calls: ModelCalls,
  flowId: string | null,
  at: Date,
  more: { ttl?: number } = {},
): Write {
  const { model, keySource, configId, providerKeyId } = calls;
  const date = at.toISOString();
  const [month, day] = [date.slice(0, 7), date.slice(8, 10)];
  const counts = { ...calls, cost: toCostUnits(calls.cost), cacheSavings: toCostUnits(calls.cacheSavings) };
  const changed = counterNames.filter((counter) => Number(counts[counter]) !== 0);
  const add = Object.fromEntries(
    changed.map((counter) => [toCounterAttribute(counter, day), counts[counter]]),
  );
  const key = { flowId, month, model, keySource, configId, providerKeyId, shard: ownShard };
  return writes.update(usageEntity, key, {
    add: add as never,
    set: { lastAt: date, ...more },
    setOnce: { month, model, keySource, configId, providerKeyId },
  });
}
