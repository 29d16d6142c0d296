import { expect, test } from 'vitest';
import { rangeWindow } from '../../../../../console/src/screens/home/overview/range.ts';
import { barTimes, costLines, folded } from '../../../../../console/src/screens/home/overview/series.ts';
import { stacked } from '../../../../../console/src/ui/charts/stacked.ts';

const at = Date.parse('2026-11-26T16:20:00Z');

test('a range covers whole intervals up to the one that has begun, and the equal time before', () => {
  expect(rangeWindow('24h', at)).toMatchObject({
    interval: 'hour',
    from: '2026-11-25T17:00:00.000Z',
    beforeFrom: '2026-11-24T17:00:00.000Z',
  });
  expect(rangeWindow('30d', at)).toMatchObject({
    interval: 'day',
    from: '2026-10-28T00:00:00.000Z',
    beforeFrom: '2026-09-28T00:00:00.000Z',
  });
});

test('a range stays the same all through an interval, so that its answer is found again', () => {
  expect(rangeWindow('7d', at)).toEqual(rangeWindow('7d', at + 30 * 60_000));
  expect(rangeWindow('7d', at)).not.toEqual(rangeWindow('7d', at + 60 * 60_000));
});

test('bars add up their intervals; the last one may have fewer', () => {
  expect(folded([1, 2, 3, 4, 5], 2)).toEqual([3, 7, 5]);
  expect(barTimes('2026-11-26T00:00:00Z', 2, 3_600_000)).toEqual([
    Date.parse('2026-11-26T00:00:00Z'),
    Date.parse('2026-11-26T01:00:00Z'),
  ]);
});

const group = (name: string | null, ...costs: (string | null)[]) => ({
  key: name && `flow_${name}`,
  name,
  points: costs.map((cost, index) => ({ at: String(index), cost })),
  total: { cost: String(costs.reduce((sum, cost) => sum + Number(cost ?? 0), 0)) },
});

test('what costs the most comes first; what costs nothing is left out; an unknown cost adds nothing', () => {
  const lines = costLines(
    [group('Cheap', '1', null), group('Free', '0', '0'), group(null, '2', '3')],
    'None',
    1,
  );
  expect(lines).toEqual([
    { label: 'None', values: [2, 3] },
    { label: 'Cheap', values: [1, 0] },
  ]);
});

test('beyond five, the others are one line', () => {
  const groups = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, index) =>
    group(name, String(10 - index), '1'),
  );
  const lines = costLines(groups, '', 1);
  expect(lines).toHaveLength(6);
  expect(lines.at(-1)).toEqual({ label: '2 more', values: [9, 2] });
});

test('each series stands on those before it', () => {
  expect(
    stacked([
      [1, 2],
      [3, 0],
      [1, 1],
    ]),
  ).toEqual([
    [1, 2],
    [4, 2],
    [5, 3],
  ]);
});
