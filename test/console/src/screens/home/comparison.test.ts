import { expect, test } from 'vitest';
import {
  changeOf,
  failureRateOf,
  percentText,
  pointsChangeOf,
} from '../../../../../console/src/screens/home/overview/comparison.ts';

test('a change is a direction and a share of the number before', () => {
  expect(changeOf(150, 100)).toEqual({ direction: 'up', text: '50 %' });
  expect(changeOf(0, 8)).toEqual({ direction: 'down', text: '100 %' });
});

test('a change that rounds to nothing is none, and a huge one has no percentage', () => {
  expect(changeOf(1_001, 1_000)).toEqual({ direction: 'same', text: 'no change' });
  expect(changeOf(5_000, 3)).toEqual({ direction: 'up', text: 'over 10 times' });
});

test('nothing is said against nothing', () => {
  expect(changeOf(5, 0)).toBeUndefined();
  expect(changeOf(5, null)).toBeUndefined();
  expect(changeOf(null, 5)).toBeUndefined();
  expect(pointsChangeOf(0.5, null)).toBeUndefined();
});

test('less is good news where one wishes for less', () => {
  expect(changeOf(50, 100, 'less')).toMatchObject({ direction: 'down', isGood: true });
  expect(changeOf(200, 100, 'less')).toMatchObject({ direction: 'up', isGood: false });
  expect(changeOf(200, 100)).not.toHaveProperty('isGood');
});

test('shares differ by percentage points, also from none', () => {
  expect(pointsChangeOf(0.052, 0, 'less')).toEqual({ direction: 'up', text: '5.2 points', isGood: false });
  expect(pointsChangeOf(0.05, 0.05)).toEqual({ direction: 'same', text: 'no change' });
});

test('the failure rate of no runs is unknown, not zero', () => {
  expect(failureRateOf({ runs: 0, failed: 0 })).toBeNull();
  expect(percentText(null)).toBe('–');
  expect(percentText(failureRateOf({ runs: 8, failed: 1 }))).toBe('12.5 %');
});
