import type { CronFields } from './cron.ts';

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
