import { expect, test } from 'vitest';
import { compare, FieldValue } from '../../../../shared/core/filters/comparison.ts';

test.each([
  ['12', 5, 1],
  ['12.', 5, 1],
  ['.5', 5, -1],
  [' +1.5e2 ', 5, 1],
  ['1.2.3', 5, undefined],
  ['', 5, undefined],
])('%j compared with the number %j', (text, number, result) => {
  expect(compare(new FieldValue(text), new FieldValue(number))).toBe(result);
});

test('millions of digits followed by a letter are not a number, detected in linear time', () => {
  expect(compare(new FieldValue(`${'1'.repeat(4_000_000)}x`), new FieldValue(5))).toBeUndefined();
});
