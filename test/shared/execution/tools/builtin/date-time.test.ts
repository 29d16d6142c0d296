import { expect, test } from 'vitest';
import { runBuiltin, stepFailureMessage } from '../run-tool.ts';

const at = new Date('2026-07-01T12:00:00.000Z');
const run = (args: object) => runBuiltin('date-time', args, { now: () => at });

test('now: in UTC and in a time zone', async () => {
  expect(await run({ operation: 'now' })).toEqual({
    iso: '2026-07-01T12:00:00+00:00',
    utc: '2026-07-01T12:00:00.000Z',
    timezone: 'UTC',
    date: '2026-07-01',
    time: '12:00:00',
    weekday: 'Wednesday',
    unixSeconds: 1_782_907_200,
  });
  expect(await run({ operation: 'now', timezone: 'Asia/Kathmandu' })).toMatchObject({
    iso: '2026-07-01T17:45:00+05:45',
  });
});

test.each([
  [
    '2026-03-29T02:30',
    'Europe/Oslo',
    '2026-03-29T03:30:00+02:00',
    'a time in a gap moves forward by the gap',
  ],
  ['2026-10-25T02:30', 'Europe/Oslo', '2026-10-25T02:30:00+02:00', 'of two instants it is the earlier one'],
  ['2026-01-01', 'America/New_York', '2026-01-01T00:00:00-05:00', 'a date is its midnight'],
  ['2026-01-01T00:00:00.250Z', 'Pacific/Apia', '2026-01-01T13:00:00.250+13:00', 'milliseconds stay'],
  ['2024-02-29T23:59:59+05:30', 'UTC', '2024-02-29T18:29:59+00:00', 'an offset is heeded'],
])('convert %s in %s gives %s: %s', async (date, timezone, iso) => {
  expect(await run({ operation: 'convert', date, timezone })).toMatchObject({ iso });
});

test.each([
  ['2026-01-31', { months: 1 }, 'UTC', '2026-02-28T00:00:00+00:00'],
  ['2024-02-29', { years: 1 }, 'UTC', '2025-02-28T00:00:00+00:00'],
  ['2026-03-28T12:00', { days: 1 }, 'Europe/Oslo', '2026-03-29T12:00:00+02:00'],
  ['2026-03-28T12:00', { hours: 24 }, 'Europe/Oslo', '2026-03-29T13:00:00+02:00'],
  ['2026-03-31', { months: -1, seconds: 1 }, 'UTC', '2026-02-28T00:00:01+00:00'],
])('add to %s %j in %s gives %s', async (date, duration, timezone, iso) => {
  expect(await run({ operation: 'add', date, duration, timezone })).toMatchObject({ iso });
});

test('the difference is elapsed time, and calendar days of the time zone', async () => {
  const dates = { date: '2026-03-28T12:00', other: '2026-03-29T12:00', timezone: 'Europe/Oslo' };
  expect(await run({ operation: 'difference', ...dates })).toEqual({
    seconds: 82_800,
    minutes: 1_380,
    hours: 23,
    days: 23 / 24,
    calendarDays: 1,
  });
});

test.each([
  [{ operation: 'convert', date: 'tomorrow' }, 'not an ISO 8601'],
  [{ operation: 'convert', date: '2026-02-30' }, 'not an ISO 8601'],
  [{ operation: 'convert', date: '2026-01-01T25:00' }, 'not an ISO 8601'],
  [{ operation: 'now', timezone: 'Mars/Olympus' }, 'not an IANA time zone'],
  [{ operation: 'now', timezone: '+02:00' }, 'not an IANA time zone'],
  [{ operation: 'add', duration: { years: 9_000 } }, 'not between the years'],
  [{ operation: 'add', duration: { years: 1e7 } }, 'do not fit'],
  [{ operation: 'guess' }, 'do not fit'],
])('%j fails: %s', async (args, message) => {
  expect(await stepFailureMessage(run(args))).toContain(message);
});
