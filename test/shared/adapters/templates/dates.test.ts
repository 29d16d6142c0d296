import { expect, test } from 'vitest';
import { fillTemplate } from '../../../../shared/adapters/templates/liquid.ts';

const shown = (at: unknown, format = '%Y-%m-%d') => fillTemplate(`{{ at | date: "${format}" }}`, { at });

test.each([
  [1_782_853_200, '2026-06-30'],
  ['1782853200', '2026-06-30'],
  [1_782_853_200_000, '2026-06-30'],
  ['1782853200000', '2026-06-30'],
  ['2026-06-30T21:00:00Z', '2026-06-30'],
  ['01.02.2026', '2026-02-01'],
  ['1.2.2026 08:30', '2026-02-01'],
  ['20260630', '2026-06-30'],
  ['2028-02-29', '2028-02-29'],
  ['not a date', 'not a date'],
  [undefined, ''],
])('the date of %s is %s', (at, expected) => {
  expect(shown(at)).toBe(expected);
});

test.each(['2026-02-30', '2026-13-01', '31.06.2026', '20260631'])('%s is no day', (at) => {
  expect(() => shown(at)).toThrow(`There is no such day: "${at}"`);
});

test('the other filters of dates read them likewise', () => {
  expect(fillTemplate('{{ "01.02.2026" | date_to_string }}', {})).toBe('01 Feb 2026');
});
