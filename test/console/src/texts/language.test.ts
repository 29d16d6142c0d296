import { expect, test } from 'vitest';
import { listed, plural } from '../../../../console/src/texts/language.ts';

test('a text has the form of its number, which stands in it with separators', () => {
  const forms = { one: '# step differs', other: '# steps differ' };
  expect([0, 1, 2, 5_000].map((steps) => plural(steps, forms))).toEqual([
    '0 steps differ',
    '1 step differs',
    '2 steps differ',
    '5,000 steps differ',
  ]);
  expect(plural(1, { other: 'none' })).toBe('none');
});

test('a list has a comma and its last word', () => {
  expect(listed(['a'])).toBe('a');
  expect(listed(['a', 'b', 'c'])).toBe('a, b, and c');
  expect(listed(['a', 'b'], 'disjunction')).toBe('a or b');
});
