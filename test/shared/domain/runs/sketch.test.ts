import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getSketchQuantile, mergeInto, toSketch } from '../../../../shared/domain/runs/sketch.ts';

const durations = fc.array(fc.integer({ min: 1, max: 30 * 86_400_000 }), { minLength: 1, maxLength: 300 });
const quantiles = [0, 0.01, 0.5, 0.95, 0.99, 1];

const exactQuantile = (values: readonly number[], q: number) =>
  values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(q * values.length) - 1)] ?? 0;

test('quantiles of durations are at most one percent off', () => {
  fc.assert(
    fc.property(durations, (values) => {
      const sketch = toSketch(values);
      for (const q of quantiles) {
        const exact = exactQuantile(values, q);
        expect(Math.abs((getSketchQuantile(sketch, q) ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.010001);
      }
    }),
  );
});

test('merged sketches are the sketch of everything, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(durations, { maxLength: 5 }), (parts) => {
      const [forwards, backwards] = [parts, parts.toReversed()].map((order) => {
        const sum = {};
        for (const part of order) mergeInto(sum, toSketch(part));
        return sum;
      });
      expect(forwards).toEqual(toSketch(parts.flat()));
      expect(backwards).toEqual(forwards);
    }),
  );
});

test('without a duration there is no quantile, and what is below a millisecond counts as one', () => {
  expect(getSketchQuantile({}, 0.5)).toBeNull();
  expect(Math.round(getSketchQuantile(toSketch([0, 0.2]), 1) ?? 0)).toBe(1);
});
