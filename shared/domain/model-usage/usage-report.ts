/**
 * Reads the counters of model calls, and sums them up: the usage report and the recent use of models and keys.
 * Counters are stored per month and model, with one attribute for each counter and day; a run never needs more items,
 * so a report is one Query per MB however many runs there were. Costs are summed exactly and become numbers last.
 * `usage.ts` beside it has the counters; runs write the counters in the transaction that stores their spending. The
 * endpoints of model usage, model configs and provider keys are the callers.
 */
import Big from 'big.js';
import { type Spending, sumSpending } from '../../adapters/ports/spending.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable, type ItemOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { toDollars } from './cost-units.ts';
import type { ModelCalls } from './model-calls.ts';
import { type Counter, counterNames, toCounterAttribute, usageEntity, usageRange } from './usage.ts';

export const granularities = ['day', 'week', 'month'] as const;
export type Granularity = (typeof granularities)[number];

/** A tenant that computes model names may have used any number of them. */
const modelsMax = 1_000;

/** The sums of a usage report. Costs are exact sums in USD, as numbers. */
export function createUsageReport(
  days: readonly UsageDay[],
  { startDate, endDate, granularity }: { startDate: string; endDate: string; granularity: Granularity },
) {
  const ofPlatform = sumDays(days.filter(({ keySource }) => keySource === 'platform'));
  const ofUser = sumDays(days.filter(({ keySource }) => keySource === 'custom'));
  const total = sumDays(days);
  const byModel = Map.groupBy(days, ({ model }) => model);
  const byDate = Map.groupBy(days, ({ date }) => findPeriodStart(date, granularity));
  return {
    summary: {
      totalRequests: total.calls,
      totalTokens: countTokens(total),
      totalCost: total.cost.toNumber(),
      ...toCaching(total),
      platformTokens: countTokens(ofPlatform),
      platformCost: ofPlatform.cost.toNumber(),
      userTokens: countTokens(ofUser),
      userCost: ofUser.cost.toNumber(),
      requestsWithoutPrice: total.unpriced,
    },
    timeSeries: listPeriods(startDate, endDate, granularity).map((date) => {
      const sum = sumDays(byDate.get(date) ?? []);
      return { date, requests: sum.calls, tokens: countTokens(sum), cost: sum.cost.toNumber() };
    }),
    usageByModel: Object.fromEntries(
      [...byModel]
        .map(([model, same]) => [model, toModelRow(model, same)] as const)
        .toSorted(
          ([, one], [, other]) => other.totalCost - one.totalCost || other.requestCount - one.requestCount,
        )
        .slice(0, modelsMax),
    ),
  };
}

function toModelRow(model: string, days: readonly UsageDay[]) {
  const sum = sumDays(days);
  const { calls, cost } = sum;
  return {
    ...splitModel(model),
    requestCount: calls,
    totalTokens: countTokens(sum),
    totalCost: cost.toNumber(),
    ...toCaching(sum),
    avgCostPerRequest: calls === 0 ? 0 : cost.div(calls).round(15).toNumber(),
  };
}

/** `<provider>/<modelId>`; model ids may contain slashes. */
const splitModel = (model: string) => {
  const slash = model.indexOf('/');
  return { provider: model.slice(0, slash), modelId: model.slice(slash + 1) };
};

const sumDays = (days: readonly UsageDay[]) => ({
  ...sumSpending(days),
  calls: days.reduce((sum, { calls }) => sum + calls, 0),
});
const toCaching = ({ cachedInputTokens, cacheSavings }: Spending) => ({
  cachedTokens: cachedInputTokens,
  cacheSavings: cacheSavings.toNumber(),
});
const countTokens = ({ inputTokens, outputTokens }: Spending) => inputTokens + outputTokens;

const dayMs = 86_400_000;
const toDate = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The first day of a date's period. Weeks begin on Monday. */
function findPeriodStart(date: string, granularity: Granularity): string {
  if (granularity === 'day') return date;
  if (granularity === 'month') return `${date.slice(0, 7)}-01`;
  const at = Date.parse(date);
  const daysSinceMonday = (new Date(at).getUTCDay() + 6) % 7;
  return toDate(at - daysSinceMonday * dayMs);
}

/** Each period from one date to another, also those without calls. */
function listPeriods(startDate: string, endDate: string, granularity: Granularity): string[] {
  const periods = new Set<string>();
  for (let at = Date.parse(startDate); at <= Date.parse(endDate); at += dayMs) {
    periods.add(findPeriodStart(toDate(at), granularity));
  }
  return [...periods];
}

interface UsageDay extends ModelCalls {
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

export interface RecentUse {
  usageCount: number;
  lastUsedAt: string;
}

const monthsRead = 12;

/** The use of models and provider keys in this month and the eleven before, in one Query for each MB of counters. */
export const recentUse = /* @__PURE__ */ using([usageMonths], (scope: Scope) => {
  async function useBy(nameOf: (month: Month) => string | undefined): Promise<Map<string, RecentUse>> {
    const now = scope.now();
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsRead + 1));
    const [from, to] = [first, now].map((date) => date.toISOString().slice(0, 7)) as [string, string];
    const uses = new Map<string, RecentUse>();
    for (const month of await usageMonths(scope)(null, from, to)) {
      const name = nameOf(month);
      if (name === undefined) continue;
      const { usageCount = 0, lastUsedAt = '' } = uses.get(name) ?? {};
      uses.set(name, {
        usageCount: usageCount + month.days.reduce((sum, { calls }) => sum + calls, 0),
        lastUsedAt: lastUsedAt > month.lastAt ? lastUsedAt : month.lastAt,
      });
    }
    return uses;
  }

  return {
    /** By the id of the provider key. */
    ofKeys: () => useBy(({ providerKeyId }) => providerKeyId),

    /** The most recently used model first. */
    async readModels() {
      const uses = [...(await useBy(({ model }) => model))].map(([model, use]) => ({
        ...splitModel(model),
        ...use,
      }));
      return uses.toSorted((one, other) => (one.lastUsedAt < other.lastUsedAt ? 1 : -1));
    },
  };
});

type Month = Awaited<ReturnType<ReturnType<typeof usageMonths>>>[number];
