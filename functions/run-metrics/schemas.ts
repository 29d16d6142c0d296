import * as z from 'zod';
import { invalidAt } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { metricKinds } from '../../shared/domain/run-metrics/cell.ts';
import { groupings, groupingsOfRecords } from '../../shared/domain/run-metrics/metrics-report.ts';
import { dayMs, hourMs, listPeriods } from '../../shared/domain/runs/hour-marks.ts';
import { checkRange, listOfNames, Moment } from '../../shared/platform/data/lists/query-values.ts';

const intervals = ['hour', 'day'] as const;
type Interval = (typeof intervals)[number];

/** Days are kept for 25 months. */
const rules = {
  hour: { ms: hourMs, most: 31 * 24, shown: 24, covers: '31 days of hours. Use interval=day for more' },
  day: { ms: dayMs, most: 762, shown: 30, covers: '25 months of days' },
} as const satisfies Record<Interval, object>;

const earliest = new Date('2000-01-01');
const latest = new Date('2200-01-01');

const KeptMoment = Moment.refine((at) => at >= earliest && at < latest, 'Expected a year from 2000 to 2199');

const recordGroupings = `${groupingsOfRecords.slice(0, -1).join(', ')} or ${groupingsOfRecords.at(-1)}`;

export const RunMetricsQuery = z
  .object({
    from: KeptMoment.optional().meta({
      description:
        'A time in the first interval. Default: 24 hours, or 30 days, up to `to`. Intervals are whole, in UTC',
    }),
    to: KeptMoment.optional().meta({
      description: 'The end of the last interval, or a time in it. Default: now',
    }),
    interval: z.enum(intervals).default('hour').meta({
      description: 'At most 31 days of hours, or 25 months of days. Hours are kept for 90 days',
    }),
    groupBy: z
      .enum(groupings)
      .optional()
      .meta({
        description: `Default: one group of all runs. 400 with the kind \`record\` unless it is ${recordGroupings}`,
      }),
    kind: listOfNames(metricKinds).optional().meta({
      description:
        'One or more, separated by commas. Records of batches count only if `record` is named, or with groupBy=kind',
    }),
    flowId: resourceId('flow').optional(),
    agentId: resourceId('agent').optional(),
    surfaceId: resourceId('surface').optional(),
  })
  .check(checkRange, ({ value: { kind, groupBy }, issues }) => {
    if (groupBy && kind?.includes('record') && !groupingsOfRecords.includes(groupBy))
      issues.push({
        code: 'custom',
        path: ['groupBy'],
        message: `Records have no metrics by ${groupBy}. Group them by ${recordGroupings}, or leave out the kind record`,
        input: groupBy,
      });
  });

/** The intervals of a report. @throws 400 if there are too many, or none. */
export function reportPeriods(query: z.output<typeof RunMetricsQuery>, now: Date): string[] {
  const { ms, most, shown, covers } = rules[query.interval];
  const from = query.from?.getTime();
  const to = (query.to ?? now).getTime();
  if (from !== undefined && from > to) {
    throw invalidAt('from', 'INVALID_VALUE', '`from` is after now, which is the default of `to`');
  }
  const last = Math.floor(Math.max(to - 1, from ?? 0) / ms) * ms;
  const first = from === undefined ? last - (shown - 1) * ms : Math.floor(from / ms) * ms;
  const count = (last - first) / ms + 1;
  if (count > most) {
    throw invalidAt(
      'from',
      'INVALID_VALUE',
      `A report covers at most ${covers}; this one has ${count} intervals`,
    );
  }
  const nameOf = (at: number) => new Date(at).toISOString().slice(0, query.interval === 'hour' ? 13 : 10);
  return listPeriods(nameOf(first), nameOf(last));
}

const usd = 'USD as decimal text, the exact sum';
const numbers = {
  runs: z.int().meta({ description: 'That ended in it; with groupBy=model, calls of the model' }),
  completed: z.int(),
  failed: z.int(),
  cancelled: z.int(),
  durationMs: z
    .object({ p50: z.int().nullable(), p95: z.int().nullable(), p99: z.int().nullable() })
    .meta({ description: 'Of all that ended, at most 2 % off; null without any' }),
  tokens: z
    .object({ input: z.int(), output: z.int(), cachedInput: z.int() })
    .meta({ description: '`cachedInput` is part of `input`' }),
  cost: z
    .string()
    .nullable()
    .meta({
      description: `${usd}. Runs with an unknown price add nothing; null if there are no others`,
    }),
  savedCost: z
    .string()
    .meta({ description: `${usd} that results of earlier runs saved, which were taken over` }),
};
const Total = z.object(numbers);
const Point = z.object({ at: z.iso.datetime().meta({ description: 'Its beginning' }), ...numbers });

const example = {
  runs: 2,
  completed: 1,
  failed: 1,
  cancelled: 0,
  durationMs: { p50: 812, p95: 2_409, p99: 2_409 },
  tokens: { input: 1_240, output: 310, cachedInput: 0 },
  cost: '0.00093',
  savedCost: '0',
};

export const RunMetricsResponse = z
  .object({
    interval: z.enum(intervals),
    groups: z.array(
      z.object({
        key: z.string().nullable().meta({ description: 'Null for runs that have none, and without groupBy' }),
        name: z.string().nullable().meta({
          description: 'The name at present, or that of its last run. Names of surfaces need PRODUCTS:READ',
        }),
        points: z.array(Point).meta({ description: 'One for each interval, without gaps' }),
        total: Total.meta({
          description: 'Of the whole range, with its percentiles: those of points cannot be averaged',
        }),
      }),
    ),
  })
  .meta({
    id: 'RunMetrics',
    examples: [
      {
        interval: 'hour',
        groups: [
          {
            key: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
            name: 'Summarize',
            points: [{ at: '2026-11-26T08:00:00.000Z', ...example }],
            total: example,
          },
        ],
      },
    ],
  });
