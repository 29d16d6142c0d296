import * as z from 'zod';
import { invalidAt } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { granularities } from '../../shared/domain/model-usage/usage-report.ts';

/** The days of each period, today included. */
const daysOf = { day: 1, week: 7, month: 30, year: 365 } as const;
type Period = keyof typeof daysOf;
const periods = Object.keys(daysOf) as [Period, ...Period[]];
const daysMax = 732;

const dayExpected =
  'Expected a date such as 2026-11-22, or a time with its zone such as 2026-11-22T08:00:00Z';
const Day = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], { error: dayExpected })
  .transform((text) => (text.includes('T') ? new Date(text).toISOString() : text).slice(0, 10))
  .refine((day) => /^(?:19|2\d)\d\d-/.test(day), 'Expected a year from 1900 to 2999');

export const ModelUsageQuery = z.object({
  startDate: Day.optional().meta({ description: 'The first day, in UTC: a date or a time' }),
  endDate: Day.optional().meta({ description: 'The last day, in UTC. Default: today' }),
  period: z.enum(periods).optional().meta({
    description:
      'Instead of startDate: the last 1, 7, 30 or 365 days up to endDate. Default without startDate: month',
  }),
  granularity: z.enum(granularities).default('day').meta({
    description: 'The length of a period of the time series. A week begins on Monday',
  }),
  modelConfigId: resourceId('modelcfg')
    .optional()
    .meta({ description: 'Only calls that this config selected' }),
  flowId: resourceId('flow')
    .optional()
    .meta({ description: 'Only calls of this flow, for the last 400 days' }),
});

type Given = Pick<z.output<typeof ModelUsageQuery>, 'startDate' | 'endDate' | 'period'>;

/** The days of a report, both included. @throws 400 if there are none, or too many. */
export function toDayRange({ startDate, endDate, period }: Given, now: Date) {
  if (startDate && period) throw invalidAt('period', 'INVALID_VALUE', 'Give either startDate or period');
  const last = endDate ?? now.toISOString().slice(0, 10);
  const first = startDate ?? daysBefore(last, daysOf[period ?? 'month'] - 1);
  const days = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
  if (days < 1) throw invalidAt('startDate', 'INVALID_VALUE', `${first} is after the last day, ${last}`);
  if (days > daysMax) {
    throw invalidAt(
      'startDate',
      'INVALID_VALUE',
      `A report covers at most ${daysMax} days; this one ${days}`,
    );
  }
  return { startDate: first, endDate: last };
}

const daysBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 10);

const usd = z.number().meta({ description: 'USD' });

const caching = {
  cachedTokens: z.int().meta({ description: 'Input tokens that a cache of the provider served' }),
  cacheSavings: z.number().meta({
    description:
      'USD that caches of providers saved: what their tokens would have cost as other input, minus what reading and writing them cost. Negative if writing cost more',
  }),
};

export const ModelUsageResponse = z
  .object({
    meta: z.object({
      startDate: z.string(),
      endDate: z.string(),
      period: z.enum(periods).optional(),
      granularity: z.enum(granularities),
      dataSource: z.string(),
    }),
    summary: z.object({
      totalRequests: z.int(),
      totalTokens: z.int(),
      totalCost: usd,
      ...caching,
      platformTokens: z.int(),
      platformCost: usd,
      userTokens: z.int(),
      userCost: usd,
      requestsWithoutPrice: z
        .int()
        .meta({ description: 'Calls to models without a known price, which add nothing to the costs' }),
    }),
    timeSeries: z.array(z.object({ date: z.string(), requests: z.int(), tokens: z.int(), cost: usd })),
    usageByModel: z
      .record(
        z.string().meta({ description: '<provider>/<modelId>' }),
        z.object({
          modelId: z.string(),
          provider: z.string(),
          requestCount: z.int(),
          totalTokens: z.int(),
          totalCost: usd,
          ...caching,
          avgCostPerRequest: usd,
        }),
      )
      .meta({ description: 'The 1,000 models with the highest cost, highest first' }),
  })
  .meta({
    id: 'ModelUsage',
    examples: [
      {
        meta: { startDate: '2026-11-21', endDate: '2026-11-22', granularity: 'day', dataSource: 'counters' },
        summary: {
          totalRequests: 3,
          totalTokens: 2_700,
          totalCost: 0.0019,
          cachedTokens: 1_024,
          cacheSavings: 0.00023,
          platformTokens: 2_700,
          platformCost: 0.0019,
          userTokens: 0,
          userCost: 0,
          requestsWithoutPrice: 0,
        },
        timeSeries: [
          { date: '2026-11-21', requests: 1, tokens: 900, cost: 0.0006 },
          { date: '2026-11-22', requests: 2, tokens: 1_800, cost: 0.0013 },
        ],
        usageByModel: {
          'openai/gpt-5-mini': {
            provider: 'openai',
            modelId: 'gpt-5-mini',
            requestCount: 3,
            totalTokens: 2_700,
            totalCost: 0.0019,
            cachedTokens: 1_024,
            cacheSavings: 0.00023,
            avgCostPerRequest: 0.000633333333333,
          },
        },
      },
    ],
  });
