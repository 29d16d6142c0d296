import { expect, test } from 'vitest';
import { durationText } from '../../../../console/src/ui/values/format.ts';

test('a duration is rounded to a number that its unit has', () => {
  const shown = [999.4, 999.6, 59_940, 59_960, 119_600, 3_599_400, 3_599_600, 7_500_000].map(durationText);
  expect(shown).toEqual([
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 0 s',
    '2 min 0 s',
    '59 min 59 s',
    '1 h 0 min',
    '2 h 5 min',
  ]);
});
