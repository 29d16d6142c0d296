import { expect, test } from 'vitest';
import { compare } from '../../../../shared/core/filters/comparison.ts';

test.each([
  ['12', 5, 1],
  ['12.', 5, 1],
  ['.5', 5, -1],
  [' +1.5e2 ', 5, 1],
  ['1.2.3', 5, undefined],
  ['', 5, undefined],
])('%j beside the number %j', (text, number, result) => {
  expect(compare(text, number)).toBe(result);
});

test('digits without an end are no number, which takes one reading to tell', () => {
  expect(compare(`${'1'.repeat(4_000_000)}x`, 5)).toBeUndefined();
});
