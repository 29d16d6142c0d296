import { expect, test } from 'vitest';
import { lineDifference } from '../../console/src/ui/values/line-difference.ts';

const shown = (before: string, after: string) =>
  lineDifference(before, after).map(
    ({ kind, text }) => `${{ removed: '-', added: '+', same: ' ' }[kind]}${text}`,
  );
const numbers = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`);

test('shows the lines that differ, with three lines around each place', () => {
  const before = numbers(30);
  const after = before.with(5, 'changed').toSpliced(25, 1);
  const text = shown(before.join('\n'), after.join('\n'));
  expect(text).toEqual([
    ' line 2',
    ' line 3',
    ' line 4',
    '-line 5',
    '+changed',
    ' line 6',
    ' line 7',
    ' line 8',
    ' …',
    ' line 22',
    ' line 23',
    ' line 24',
    '-line 25',
    ' line 26',
    ' line 27',
    ' line 28',
  ]);
});

test('shows a text that came or went, and a line break at the end that came', () => {
  expect(shown('', 'one\ntwo')).toEqual(['+one', '+two']);
  expect(shown('one', '')).toEqual(['-one']);
  expect(shown('one', 'one\n')).toEqual(['-one', '+one']);
});

test('two long texts without a common line are shown whole', () => {
  const [before, after] = [numbers(50_000), numbers(50_000).map((line) => `other ${line}`)];
  expect(lineDifference(before.join('\n'), after.join('\n'))).toHaveLength(100_000);
});
