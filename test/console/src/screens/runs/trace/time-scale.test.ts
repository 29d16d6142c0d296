import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  axisTicks,
  spanBar,
  timeScale,
} from '../../../../../../console/src/screens/runs/trace/time-scale.ts';

const base = Date.parse('2026-11-26T10:00:00Z');
const at = (ms: number) => new Date(base + ms).toISOString();
const spans = fc.array(
  fc.tuple(fc.nat(100_000), fc.option(fc.nat(100_000))).map(([from, length]) => ({
    startedAt: at(from),
    endedAt: length === null ? null : at(from + length),
  })),
  { minLength: 1, maxLength: 20 },
);

test('each bar lies within the axis, and one of the bars reaches each of its ends', () => {
  fc.assert(
    fc.property(spans, (given) => {
      const scale = timeScale(given, base + 300_000);
      const bars = given.map((span) => spanBar(span, scale));
      for (const { from, length } of bars) {
        expect(from).toBeGreaterThanOrEqual(0);
        expect(length).toBeGreaterThanOrEqual(0);
        expect(from + length).toBeLessThanOrEqual(1 + 1e-9);
      }
      expect(Math.min(...bars.map(({ from }) => from))).toBe(0);
    }),
  );
});

test('a span without an end goes on until now', () => {
  const scale = timeScale([{ startedAt: at(0), endedAt: null }], base + 2_000);
  expect(spanBar({ startedAt: at(1_000), endedAt: null }, scale)).toEqual({ from: 0.5, length: 0.5 });
});

test('the axis has a few round times, for traces of a millisecond as of months', () => {
  fc.assert(
    fc.property(fc.double({ min: 1, max: 1e11, noNaN: true }), (lengthMs) => {
      const ticks = axisTicks(lengthMs);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeLessThanOrEqual(lengthMs);
    }),
  );
  expect(axisTicks(4_300)).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
});
