import { expect, test } from 'vitest';
import { groups } from '../../../functions/index.ts';
import { callerClasses, type Dimensions, metrics } from '../../../shared/core/metrics.ts';

/** The monthly price of a custom metric that is sent in every hour, in USD. */
const priceOfMetric = 0.3;

/** How many metrics CloudWatch makes for a number of groups. */
function metricCount(groupCount: number): number {
  const values: Record<keyof Dimensions, number> = { group: groupCount, callerClass: callerClasses.length };
  const lists = Object.values(metrics).flatMap(({ by }): readonly (readonly (keyof Dimensions)[])[] => by);
  return lists.reduce((sum, list) => sum + list.reduce((product, name) => product * values[name], 1), 0);
}

test('the metrics of a deployment cost less than 20 USD a month, and less than 35 with 30 groups', () => {
  expect(metricCount(Object.keys(groups).length) * priceOfMetric).toBeLessThan(20);
  expect(metricCount(30) * priceOfMetric).toBeLessThan(35);
});
