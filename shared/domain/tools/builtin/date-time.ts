import * as z from 'zod';
import { defineBuiltinTool } from './builtin-tool.ts';

const countMax = 1_000_000;
const units = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;
export type TimeUnit = (typeof units)[number];

const Moment = z.string().min(1).max(40).meta({
  description:
    'An ISO 8601 date, date and time, or instant: 2026-03-29, 2026-03-29T02:30 (in `timezone`), 2026-03-29T00:30:00Z',
});
const Zone = z
  .string()
  .min(1)
  .max(60)
  .meta({ description: 'An IANA time zone such as Europe/Oslo. Default: UTC' });
const Count = z.int().min(-countMax).max(countMax).optional();

export const Duration = z.strictObject(
  Object.fromEntries(
    units.map((unit) => [unit, Count.meta({ description: `How many ${unit}. Default: 0` })]),
  ) as Record<TimeUnit, typeof Count>,
);

export const dateTimeTool = defineBuiltinTool({
  id: 'date-time',
  name: 'Date and time',
  description:
    'Tells the current time, converts a time to a time zone, adds a duration to it, or tells the difference between two times. Knows daylight saving time.',
  category: 'time',
  services: [],
  permission: null,
  effects: false,
  repeatable: true,
  takesSecrets: false,
  parameters: z.strictObject({
    operation: z.enum(['now', 'convert', 'add', 'difference']).meta({
      description:
        'now: the current time. convert: a date in another time zone. add: a date plus a duration. difference: the time from date to other',
    }),
    date: Moment.optional().meta({
      description: 'For convert, add and difference: an ISO 8601 date or time. Default: now',
    }),
    other: Moment.optional().meta({
      description: 'For difference: the later time, in ISO 8601. Default: now',
    }),
    timezone: Zone.optional(),
    duration: Duration.optional().meta({
      description:
        'For add. Negative numbers subtract. Years to days move the date and keep the time of day; hours to seconds are elapsed time',
    }),
  }),
  defaultConfig: { timezone: 'UTC' },
  documentationUrl: null,
});
