import { toInstant, toLocal } from '../../../shared/core/time.ts';

/** The fields of EventBridge's `cron(…)`, in order. */
const fields = [
  { name: 'minutes', min: 0, max: 59 },
  { name: 'hours', min: 0, max: 23 },
  { name: 'day-of-month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ') },
  { name: 'day-of-week', min: 1, max: 7, names: 'SUN MON TUE WED THU FRI SAT'.split(' ') },
  { name: 'year', min: 1970, max: 2199 },
] as const;

type Field = (typeof fields)[number];
type Matcher = ReadonlySet<number>;

const dayMs = 86_400_000;
/** No pattern of days repeats later: leap years, and the days of a week. */
const daysMax = 366 * 29;

/** Finds the next time after an instant (Unix ms) at which an expression matches in a zone; undefined if never. */
export type NextTime = (afterMs: number, zone: string) => number | undefined;

/** Reads the text between the parentheses of `cron(…)`. Without L, W and #, which this service does not use. @throws Error */
export function parseSchedulerCron(text: string): NextTime {
  const parts = text.split(/\s+/);
  if (parts.length !== fields.length) throw new Error('A cron expression has six fields');
  const [, , ofMonth, , ofWeek] = parts;
  if ((ofMonth === '?') === (ofWeek === '?')) {
    throw new Error('Exactly one of day-of-month and day-of-week must be ?');
  }
  const [minutes, hours, monthDays, months, weekDays, years] = fields.map((field, index) =>
    matcherOf(field, parts[index] ?? ''),
  ) as [Matcher, Matcher, Matcher, Matcher, Matcher, Matcher];
  const isDay = (day: Date) =>
    years.has(day.getUTCFullYear()) &&
    months.has(day.getUTCMonth() + 1) &&
    monthDays.has(day.getUTCDate()) &&
    weekDays.has(day.getUTCDay() + 1);
  const clockTimes = ascending(hours).flatMap((hour) =>
    ascending(minutes).map((minute) => (hour * 60 + minute) * 60_000),
  );
  return (afterMs, zone) => {
    const today = Math.floor(toLocal(afterMs, zone) / dayMs) * dayMs;
    for (let day = 0; day < daysMax; day++) {
      const midnight = today + day * dayMs;
      if (!isDay(new Date(midnight))) continue;
      for (const time of clockTimes) {
        const instant = toInstant(midnight + time, zone, 'end');
        // AWS skips a time that the clocks of the zone do not show, and does not repeat one that they show twice.
        if (instant > afterMs && toLocal(instant, zone) === midnight + time) return instant;
      }
    }
    return undefined;
  };
}

const ascending = (values: Matcher) => [...values].sort((one, other) => one - other);

function matcherOf(field: Field, text: string): Matcher {
  const all = Array.from({ length: field.max - field.min + 1 }, (_, index) => field.min + index);
  if (text === '?' && field.name.startsWith('day')) return new Set(all);
  return new Set(
    text.split(',').flatMap((part) => {
      const [, from = '', to, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
      if (from === '*' && to === undefined)
        return all.filter((value) => (value - field.min) % Number(step ?? 1) === 0);
      const low = valueIn(field, from);
      const high = to === undefined ? (step === undefined ? low : field.max) : valueIn(field, to);
      if (low > high || step === '0') throw new Error(`Wrong range in ${field.name}: ${part}`);
      return all.filter((value) => value >= low && value <= high && (value - low) % Number(step ?? 1) === 0);
    }),
  );
}

function valueIn(field: Field, text: string): number {
  const named = 'names' in field ? field.names.indexOf(text.toUpperCase()) : -1;
  const value = named >= 0 ? field.min + named : /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.min && value <= field.max) return value;
  throw new Error(`${text} is not a value of ${field.name}`);
}
