import { CronExpressionParser } from 'cron-parser';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { parseExpression } from '../../../../infra/local/scheduler/expressions.ts';
import { CronError, parseCron, toSchedulerExpressions } from '../../../../shared/domain/schedules/cron.ts';
import { findNextTime } from '../../../../shared/domain/schedules/next-time.ts';
import { numRuns } from '../../../support/suite/slow.ts';
import { randomCron, randomStart, randomZone, seededRandom } from './cron-cases.ts';

const cases = numRuns(300);
const timesEach = 20;
const seed = 20_261_122;

const readable = (cron: string) => {
  try {
    return parseCron(cron);
  } catch (error) {
    if (error instanceof CronError) return undefined;
    throw error;
  }
};

function* triples() {
  const random = seededRandom(seed);
  for (let made = 0; made < cases; ) {
    const cron = randomCron(random);
    const fields = readable(cron);
    const zone = randomZone(random);
    const start = randomStart(random);
    if (!fields) continue;
    made++;
    yield { cron, fields, zone, start };
  }
}

const times = (next: (after: Date) => Date, start: Date) => {
  const found: string[] = [];
  for (let at = start; found.length < timesEach; ) {
    at = next(at);
    found.push(at.toISOString());
  }
  return found;
};

/** The instant of a time on a clock, by luxon: right after a gap, the first of two. */
function instantByLuxon(wall: Date, zone: string): DateTime {
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth() + 1, wall.getUTCDate()];
  const [hour, minute] = [wall.getUTCHours(), wall.getUTCMinutes()];
  const at = DateTime.fromObject({ year, month, day, hour, minute }, { zone });
  const [first = at] = at.getPossibleOffsets();
  if (at.hour === hour && at.minute === minute) return first;
  // Clocks were set forward: back to the first minute with the new offset.
  let instant = at.set({ second: 0 });
  while (instant.minus({ minutes: 1 }).offset === at.offset) instant = instant.minus({ minutes: 1 });
  return instant;
}

/** The next times by cron-parser, on a clock of its own, and luxon. */
function timesByOthers(cron: string, zone: string, start: Date): string[] {
  const local = DateTime.fromJSDate(start, { zone });
  const wallStart = new Date(start.getTime() + local.offset * 60_000);
  const clock = CronExpressionParser.parse(cron, { currentDate: wallStart, tz: 'UTC' });
  const found: string[] = [];
  while (found.length < timesEach) {
    const instant = instantByLuxon(clock.next().toDate(), zone).toUTC().toJSDate();
    const iso = instant.toISOString();
    if (instant > start && iso !== found.at(-1)) found.push(iso);
  }
  return found;
}

/** Walking further takes long. */
const walkedMsMax = 36 * 3_600_000;

/** Each matching minute, as clocks show it, however often, and the ends of gaps in which there is one. */
function timesByMinutes(cron: string, zone: string, start: Date): string[] {
  const fields = CronExpressionParser.parse(cron, { tz: 'UTC' });
  const matches = (at: DateTime) =>
    fields.includesDate(at.setZone('UTC', { keepLocalTime: true }).toJSDate());
  const found: string[] = [];
  let at = DateTime.fromMillis(Math.floor(start.getTime() / 60_000) * 60_000, { zone });
  while (found.length < timesEach) {
    const before = at;
    at = at.plus({ minutes: 1 });
    const skipped = Array.from({ length: Math.max(0, at.offset - before.offset) }, (_, minute) =>
      before.setZone('UTC', { keepLocalTime: true }).plus({ minutes: minute + 1 }),
    );
    if (matches(at) || skipped.some(matches)) found.push(at.toUTC().toJSDate().toISOString());
  }
  return found;
}

test(`the next ${timesEach} times of ${cases} random expressions are those of another library`, () => {
  for (const { cron, fields, zone, start } of triples()) {
    const own = times((after) => findNextTime(fields, zone, after), start);
    const context = `${cron} in ${zone} from ${start.toISOString()}`;
    const isShort = Date.parse(own.at(-1) ?? '') - start.getTime() < walkedMsMax;
    if (fields.isOfEveryHours && isShort) {
      expect(own, context).toEqual(timesByMinutes(cron, zone, start));
      continue;
    }
    const once = own.filter((time) => !fields.isOfEveryHours || !isShownAgain(time, zone));
    expect(once, context).toEqual(timesByOthers(cron, zone, start).slice(0, once.length));
  }
}, 600_000);

test(`the expressions for EventBridge Scheduler match at the same times, except in gaps and repeated hours (${cases})`, () => {
  for (const { cron, fields, zone, start } of triples()) {
    const expressions = toSchedulerExpressions(fields);
    expect(Math.max(...expressions.map(({ length }) => length))).toBeLessThanOrEqual(256);
    const evaluators = expressions.map(parseExpression);
    const next = (after: Date) =>
      new Date(
        Math.min(...evaluators.map((each) => each(after.getTime(), zone) ?? Number.POSITIVE_INFINITY)),
      );
    const own = times((after) => findNextTime(fields, zone, after), start);
    const theirs = times(next, start);
    const skipped = own.filter((time) => !theirs.includes(time) && time < (theirs.at(-1) ?? ''));
    const extra = theirs.filter((time) => !own.includes(time) && time < (own.at(-1) ?? ''));
    const context = `${cron} in ${zone} from ${start.toISOString()}`;
    expect(extra, context).toEqual([]);
    for (const time of skipped) {
      const isSecond = fields.isOfEveryHours && isShownAgain(time, zone);
      expect(isSecond || isAfterGap(time, zone), `${context} at ${time}`).toBe(true);
    }
  }
}, 600_000);

const isShownAgain = (time: string, zone: string) => {
  const at = DateTime.fromISO(time, { zone });
  return at.getPossibleOffsets().some((other) => other < at);
};

/** Whether clocks were set forward right before. */
const isAfterGap = (time: string, zone: string) => {
  const at = DateTime.fromISO(time, { zone });
  return at.offset > at.minus({ minutes: 1 }).offset;
};

test.each([
  ['in a gap fires right after it', '30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z'],
  ['after a gap is as usual', '30 3 * * *', '2026-03-28T12:00:00Z', '2026-03-29T01:30:00.000Z'],
  [
    'that clocks show twice fires at the first one',
    '30 2 * * *',
    '2026-10-24T12:00:00Z',
    '2026-10-25T00:30:00.000Z',
  ],
  ['that clocks show twice fires once', '30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00.000Z'],
  [
    'of every 15 minutes goes on when clocks are set back',
    '*/15 * * * *',
    '2026-10-25T00:50:00Z',
    '2026-10-25T01:00:00.000Z',
  ],
  [
    'of every 15 minutes goes on within the repeated hour',
    '*/15 * * * *',
    '2026-10-25T01:05:00Z',
    '2026-10-25T01:15:00.000Z',
  ],
  ['of every hour goes on', '@hourly', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00.000Z'],
  ['of 0-23 goes on', '5 0-23 * * *', '2026-10-25T00:05:00Z', '2026-10-25T01:05:00.000Z'],
  ['of every two hours goes on', '0 */2 * * *', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00.000Z'],
  ['of every three hours skips none', '0 */3 * * *', '2026-10-24T22:00:00Z', '2026-10-25T02:00:00.000Z'],
  [
    'of some minutes of a named hour fires once',
    '*/15 2 * * *',
    '2026-10-25T00:45:00Z',
    '2026-10-26T01:00:00.000Z',
  ],
  ['of a range of hours fires once', '0 1-3 * * *', '2026-10-25T00:00:00Z', '2026-10-25T02:00:00.000Z'],
])('a time %s', (_what, cron, after, expected) => {
  expect(findNextTime(parseCron(cron), 'Europe/Berlin', new Date(after)).toISOString()).toBe(expected);
});

test.each([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['0 0 * * 7', '0 0 * * 0'],
  ['0 0 * * SAT-7', '0 0 * * 6,0'],
  ['0 0 * jan-Mar *', '0 0 * 1-3 *'],
  ['0 0 1-31 * 1', '0 0 * * *'],
])('%s means %s', (one, other) => {
  expect(parseCron(one)).toEqual(parseCron(other));
});

test.each([
  '* * * * * *',
  '* * * *',
  '@reboot',
  '@every 5m',
  '0 0 31 2 *',
  '0 0 30,31 2 *',
  '0 0 31 4,6,9,11 *',
  '0 0 L * *',
  '0 0 15W * *',
  '0 0 * * 5#2',
  '0 0 ? * 1',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '5-1 * * * *',
  '*/0 * * * *',
  '5/10 * * * *',
  '1,,2 * * * *',
  '1.5 * * * *',
  '-1 * * * *',
  '* * * FOO *',
  '',
])('%j is rejected', (cron) => {
  expect(() => parseCron(cron)).toThrow(CronError);
});

test.each([
  ['*/5 * * * *', ['cron(0/5 * * * ? *)']],
  ['30 7 * * MON-FRI', ['cron(30 7 ? * 2-6 *)']],
  ['0 0 * * 0', ['cron(0 0 ? * 1 *)']],
  ['0 9 13 * 5', ['cron(0 9 13 * ? *)', 'cron(0 9 ? * 6 *)']],
  ['0 0 1 1,7 *', ['cron(0 0 1 1,7 ? *)']],
  ['1,2,3,10,20 * * * *', ['cron(1-3,10,20 * * * ? *)']],
])('%s is %j for EventBridge Scheduler', (cron, expected) => {
  expect(toSchedulerExpressions(parseCron(cron))).toEqual(expected);
});
