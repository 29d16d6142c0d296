import { expect, test } from 'vitest';
import { compare } from '../../../../shared/core/filters/comparison.ts';
import { Reading } from '../../../../shared/core/filters/reading.ts';

test.each([
  ['12', 5, 1],
  ['12.', 5, 1],
  ['.5', 5, -1],
  [' +1.5e2 ', 5, 1],
  ['1.2.3', 5, undefined],
  ['', 5, undefined],
])('%j beside the number %j', (text, number, result) => {
  expect(compare(new Reading(text), new Reading(number))).toBe(result);
});

test('digits without an end are no number, which takes one reading to tell', () => {
  expect(compare(new Reading(`${'1'.repeat(4_000_000)}x`), new Reading(5))).toBeUndefined();
});
