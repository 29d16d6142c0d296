import { expect, test } from 'vitest';
import { toElapsedText, toNowText } from '../../../../shared/execution/agent-runs/open-loop.ts';

const now = new Date('2026-11-22T23:05:59Z');
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);

test.each([
  [undefined, 'Sunday, 22 November 2026, 23:05 (UTC, UTC+00:00)'],
  ['Europe/Oslo', 'Monday, 23 November 2026, 00:05 (Europe/Oslo, UTC+01:00)'],
  ['America/St_Johns', 'Sunday, 22 November 2026, 19:35 (America/St_Johns, UTC-03:30)'],
])('the time in the zone %s is %s', (timezone, expected) => {
  expect(toNowText({ groundNow: true, timezone }, now)).toBe(`The current date and time is ${expected}.`);
});

test('an agent that does not want the time is not told it', () => {
  expect(toNowText({}, now)).toBeUndefined();
  expect(toNowText({ groundNow: false }, now)).toBeUndefined();
  expect(toElapsedText({}, ago(9_999), now)).toBeUndefined();
});

test.each([
  [300, '5 minutes'],
  [3_661, '1 hour and 1 minute'],
  [3_605, '1 hour'],
  [86_400, '1 day'],
  [200_000, '2 days and 7 hours'],
])('%i seconds are told as %s', (seconds, words) => {
  expect(toElapsedText({ injectElapsed: true }, ago(seconds), now)).toBe(
    `The previous message of this conversation was ${words} ago.`,
  );
});

test('a shorter time than the threshold, no earlier message, and a clock that is ahead are not told', () => {
  expect(toElapsedText({ injectElapsed: true }, ago(299), now)).toBeUndefined();
  expect(toElapsedText({ injectElapsed: true, elapsedThresholdSeconds: 10 }, ago(10), now)).toContain(
    '10 seconds',
  );
  expect(toElapsedText({ injectElapsed: true, elapsedThresholdSeconds: 0 }, ago(0), now)).toBeUndefined();
  expect(toElapsedText({ injectElapsed: true }, undefined, now)).toBeUndefined();
  expect(toElapsedText({ injectElapsed: true, elapsedThresholdSeconds: 0 }, ago(-60), now)).toBeUndefined();
});
