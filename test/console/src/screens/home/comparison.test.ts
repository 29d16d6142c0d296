import { expect, test } from 'vitest';
import {
  failureRate,
  percentChange,
  percentText,
  pointsChange,
} from '../../../../../console/src/screens/home/overview/series.ts';

test('a change is a direction and a share of the number before', () => {
  expect(percentChange(150, 100)).toEqual({ direction: 'up', text: '50 %' });
  expect(percentChange(0, 8)).toEqual({ direction: 'down', text: '100 %' });
});

test('a change that rounds to nothing is none, and a huge one has no percentage', () => {
  expect(percentChange(1_001, 1_000)).toEqual({ direction: 'same', text: 'no change' });
  expect(percentChange(5_000, 3)).toEqual({ direction: 'up', text: 'over 10 times' });
});

test('nothing is said against nothing', () => {
  expect(percentChange(5, 0)).toBeUndefined();
  expect(percentChange(5, null)).toBeUndefined();
  expect(percentChange(null, 5)).toBeUndefined();
  expect(pointsChange(0.5, null)).toBeUndefined();
});

test('less is good news where one wishes for less', () => {
  expect(percentChange(50, 100, 'less')).toMatchObject({ direction: 'down', isGood: true });
  expect(percentChange(200, 100, 'less')).toMatchObject({ direction: 'up', isGood: false });
  expect(percentChange(200, 100)).not.toHaveProperty('isGood');
});

test('shares differ by percentage points, also from none', () => {
  expect(pointsChange(0.052, 0, 'less')).toEqual({ direction: 'up', text: '5.2 points', isGood: false });
  expect(pointsChange(0.05, 0.05)).toEqual({ direction: 'same', text: 'no change' });
});

test('the failure rate of no runs is unknown, not zero', () => {
  expect(failureRate({ runs: 0, failed: 0 })).toBeNull();
  expect(percentText(null)).toBe('–');
  expect(percentText(failureRate({ runs: 8, failed: 1 }))).toBe('12.5 %');
});
