import { type Spending, sumSpending } from '../../adapters/ports/spending.ts';
import type { UsageDay } from './usage-days.ts';

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
export const splitModel = (model: string) => {
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
