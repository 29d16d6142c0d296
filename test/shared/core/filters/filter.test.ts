import { expect, test } from 'vitest';
import { RecordFilter } from '../../../../shared/core/filters/filter.ts';
import { toErrorDetails } from '../../../../shared/platform/http/validation.ts';

/** What keeps a filter from being taken, as `path: message`. */
function problemsOf(filter: unknown): string[] {
  const { error } = RecordFilter.safeParse(filter, { reportInput: true });
  return toErrorDetails(error?.issues ?? []).map(({ path, message }) => `${path}: ${message}`);
}

const leaf = { field: 'a', op: 'isSet' };
const group = (...conditions: object[]) => ({ op: 'and', conditions });

test.each([
  leaf,
  { field: 'customer.tier', op: 'eq', value: 'gold' },
  { field: 'Unit price ($)', op: 'between', value: ['9', 10] },
  { field: '__proto__', op: 'in', value: [1, 'a', true] },
  { field: 'a', op: 'between', value: ['2026-01-01', '2026-01-01T00:00Z'] },
  { field: 'a', op: 'isTrue', value: null },
  { field: 'a', op: 'withinLastDays', value: '7' },
  { field: 'x'.repeat(128), op: 'olderThanDays', value: 0 },
  group(group(group(leaf), leaf)),
  group(...Array(50).fill(leaf)),
])('%j is a valid filter', (filter) => {
  expect(problemsOf(filter)).toEqual([]);
});

test.each([
  ['eq', undefined, 'a text, a number, true or false'],
  ['neq', null, 'a text, a number, true or false'],
  ['eq', ['a'], 'a text, a number, true or false'],
  ['gt', true, 'a number, a date or another text'],
  ['lte', {}, 'a number, a date or another text'],
  ['between', 5, '[low, high]: two numbers, dates or other texts, in their order'],
  ['between', [1], '[low, high]: two numbers, dates or other texts, in their order'],
  ['between', [1, 2, 3], '[low, high]: two numbers, dates or other texts, in their order'],
  ['between', ['10', '9'], '[low, high]: two numbers, dates or other texts, in their order'],
  ['between', ['2026-02-01', '2026-01-31'], '[low, high]: two numbers, dates or other texts, in their order'],
  ['between', [1, 'b'], '[low, high]: two numbers, dates or other texts, in their order'],
  ['contains', 5, 'a text that is not empty'],
  ['startsWith', '', 'a text that is not empty'],
  ['in', 'a', 'a list of 1 to 1,000 texts, numbers, true or false'],
  ['notIn', [], 'a list of 1 to 1,000 texts, numbers, true or false'],
  ['in', Array(1_001).fill(1), 'a list of 1 to 1,000 texts, numbers, true or false'],
  ['in', [[1]], 'a list of 1 to 1,000 texts, numbers, true or false'],
  ['isSet', true, 'left out'],
  ['withinLastDays', -1, 'a number of days, 0 or more'],
  ['olderThanDays', 'week', 'a number of days, 0 or more'],
  ['olderThanDays', '', 'a number of days, 0 or more'],
])('%s rejects %j and reports the path of the condition', (op, value, expected) => {
  const condition = { field: 'a', op, value };
  expect(problemsOf(condition)).toEqual([`: The value of ${op} must be ${expected}`]);
  expect(problemsOf(group(leaf, group(condition)))).toEqual([
    `conditions.1.conditions.0: The value of ${op} must be ${expected}`,
  ]);
});

test.each([
  ['', 'Too small: expected string to have >=1 characters'],
  ['x'.repeat(129), 'Too big: expected string to have <=128 characters'],
  ['a\nb', 'Expected a field without control characters'],
  [' a', 'Expected a field without leading or trailing blanks'],
  ['a\u00a0', 'Expected a field without leading or trailing blanks'],
])('%j is not a valid field', (field, problem) => {
  expect(problemsOf({ ...leaf, field })).toEqual([`field: ${problem}`]);
});

test.each([
  [null, ': Invalid input: expected object, received null'],
  [{ field: 'a', op: 'like' }, expect.stringMatching(/^op: Expected one of eq, neq, .*, and, or$/)],
  [group(), 'conditions: Too small: expected array to have >=1 items'],
  [group(...Array(51).fill(leaf)), 'conditions: Too big: expected array to have <=50 items'],
  [{ ...leaf, extra: 1 }, 'extra: "extra" is not a known member of this object'],
  [
    group(group(group(group(leaf)))),
    'conditions.0.conditions.0.conditions.0.op: Groups are nested more than 3 levels deep',
  ],
])('%j is not a valid filter', (filter, problem) => {
  expect(problemsOf(filter)).toContainEqual(problem);
});

test('a filter nested thousands of levels deep is rejected with a validation error', () => {
  let deep: object = leaf;
  for (let level = 0; level < 20_000; level++) deep = group(deep);
  expect(problemsOf(deep)).toContainEqual(
    expect.stringContaining('Groups are nested more than 3 levels deep'),
  );
});
