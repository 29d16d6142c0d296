/**
 * Parses cron expressions, and renders them for EventBridge Scheduler.
 * Five fields or a nickname are parsed to the sorted values at which they match; `null` days match any day. If both
 * kinds of days are set, either matches, as in cron(8). Expressions that never match are refused, with a message for
 * their author.
 * EventBridge takes one kind of days only and counts weekdays from 1, so an expression may become two, which together
 * match the same times.
 * `next-time.ts` computes times from the fields, `wake-ups.ts` calls `toSchedulerExpressions`; the console parses with
 * it too, so it imports nothing.
 */

/** The values at which a cron expression matches. Null: any day. If both kinds of days are set, either matches. */
export interface CronFields {
  minutes: readonly number[];
  hours: readonly number[];
  /** Whether the hour begins with an asterisk: a job of every hour, or of every few. Others name their hours. */
  isOfEveryHours: boolean;
  daysOfMonth: readonly number[] | null;
  months: readonly number[];
  /** 0 is Sunday. */
  daysOfWeek: readonly number[] | null;
}

/** What is wrong with a cron expression, in words for its author. */
export class CronError extends Error {}

const nicknames: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

interface Field {
  name: string;
  min: number;
  max: number;
  /** The names of values, the first for `min`. */
  names?: readonly string[];
}

const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const dayNames = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const fields = {
  minute: { name: 'minute', min: 0, max: 59 },
  hour: { name: 'hour', min: 0, max: 23 },
  dayOfMonth: { name: 'day of month', min: 1, max: 31 },
  month: { name: 'month', min: 1, max: 12, names: monthNames },
  dayOfWeek: { name: 'day of week', min: 0, max: 7, names: dayNames },
} as const satisfies Record<string, Field>;

/** With 29 February. */
const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** @throws CronError if the expression is not five fields or a nickname, or never matches. */
export function parseCron(text: string): CronFields {
  const parts = expandNickname(text).split(/\s+/);
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parts;
  if (parts.length !== 5 || !minute || !hour || !dayOfMonth || !month || !dayOfWeek) {
    throw new CronError(
      `Expected 5 fields (minute, hour, day of month, month, day of week), not ${parts.length}`,
    );
  }
  const days = parseDays(dayOfMonth, dayOfWeek);
  const months = parseValues(fields.month, month);
  const longest = Math.max(...months.map((each) => daysOfMonths[each - 1] ?? 0));
  const never = days.daysOfWeek === null && days.daysOfMonth?.every((day) => day > longest);
  if (never) throw new CronError('The expression never matches: none of its months has such a day');
  const hours = parseValues(fields.hour, hour);
  const isOfEveryHours = hour.startsWith('*') || hours.length === fields.hour.max + 1;
  return { minutes: parseValues(fields.minute, minute), hours, isOfEveryHours, months, ...days };
}

/** The same expression in five fields of numbers, for a library. */
export const renderCron = (cron: CronFields): string =>
  [cron.minutes, cron.hours, cron.daysOfMonth, cron.months, cron.daysOfWeek]
    .map((values) => values?.join(',') ?? '*')
    .join(' ');

function expandNickname(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('@')) return trimmed;
  const expression = nicknames[trimmed.toLowerCase()];
  if (expression) return expression;
  throw new CronError(`Unknown nickname. Expected one of ${Object.keys(nicknames).join(', ')}`);
}

/** A field is set unless it is an asterisk. Of two set fields, one that has every day includes the other. */
function parseDays(dayOfMonth: string, dayOfWeek: string): Pick<CronFields, 'daysOfMonth' | 'daysOfWeek'> {
  const ofMonth = isAny(dayOfMonth) ? null : parseValues(fields.dayOfMonth, dayOfMonth);
  const toSunday = (day: number) => day % 7;
  const ofWeek = isAny(dayOfWeek) ? null : sortUnique(parseValues(fields.dayOfWeek, dayOfWeek).map(toSunday));
  const hasEveryDay = ofMonth?.length === 31 || ofWeek?.length === 7;
  return hasEveryDay ? { daysOfMonth: null, daysOfWeek: null } : { daysOfMonth: ofMonth, daysOfWeek: ofWeek };
}

const isAny = (text: string) => text === '*' || text === '*/1';

const parseValues = (field: Field, text: string): number[] =>
  sortUnique(text.split(',').flatMap((part) => parseRange(field, part)));

const sortUnique = (values: readonly number[]) => [...new Set(values)].sort((one, other) => one - other);

function parseRange(field: Field, part: string): number[] {
  const [, from = '', to, step] = /^([^-/]+)(?:-([^-/]+))?(?:\/(\d{1,3}))?$/.exec(part) ?? [];
  const wrong = (problem: string) => new CronError(`In the ${field.name}, "${part}" ${problem}`);
  if (from === '') throw wrong('cannot be read');
  if (step !== undefined && (Number(step) < 1 || Number(step) > field.max)) {
    throw wrong(`has a step that is not from 1 to ${field.max}`);
  }
  const isAll = from === '*' && to === undefined;
  if (step !== undefined && to === undefined && !isAll) {
    throw wrong(`has a step without a range. Write ${from}-${field.max}/${step}`);
  }
  const last = field.name === 'day of week' && isAll ? 6 : field.max;
  const [low, high] = isAll ? [field.min, last] : [parseNumber(field, from), parseNumber(field, to ?? from)];
  if (low === undefined || high === undefined) {
    throw wrong(`is not from ${field.min} to ${field.max}. L, W, # and ? are not supported`);
  }
  if (low > high) throw wrong('is a range that ends before it begins');
  const every = Number(step ?? 1);
  return Array.from({ length: Math.floor((high - low) / every) + 1 }, (_, index) => low + index * every);
}

function parseNumber({ min, max, names = [] }: Field, text: string): number | undefined {
  const named = names.indexOf(text.toUpperCase());
  if (named >= 0) return min + named;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

/** EventBridge Scheduler takes no longer expression. */
export const expressionCharactersMax = 256;

/** EventBridge Scheduler takes one kind of days only: two expressions if both are set, which together match the same times. */
export function toSchedulerExpressions(cron: CronFields): string[] {
  const minutes = toList(cron.minutes, 0, 59);
  const hours = toList(cron.hours, 0, 23);
  const months = toList(cron.months, 1, 12);
  const { daysOfMonth, daysOfWeek } = cron;
  const toExpression = (ofMonth: string, ofWeek: string) =>
    `cron(${minutes} ${hours} ${ofMonth} ${months} ${ofWeek} *)`;
  // EventBridge counts the days of a week from 1.
  const ofWeek = daysOfWeek?.map((day) => day + 1);
  const byWeek = ofWeek ? [toExpression('?', toList(ofWeek, 1, 7))] : [];
  if (daysOfMonth) return [toExpression(toList(daysOfMonth, 1, 31), '?'), ...byWeek];
  return ofWeek ? byWeek : [toExpression('*', '?')];
}

/** The shortest text for values in ascending order. */
function toList(values: readonly number[], min: number, max: number): string {
  if (values.length === max - min + 1) return '*';
  const [first = min, second = min, last = second] = [values[0], values[1], values.at(-1)];
  const step = second - first;
  const isRegular = values.every((value, index) => value === first + index * step);
  if (values.length > 2 && step > 1 && isRegular && last + step > max) return `${first}/${step}`;
  return toRanges(values).join(',');
}

function toRanges(values: readonly number[]): string[] {
  const ranges: [number, number][] = [];
  for (const value of values) {
    const range = ranges.at(-1);
    if (range && range[1] === value - 1) range[1] = value;
    else ranges.push([value, value]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
}
