import { expect, test } from 'vitest';
import { metricCount } from '../../../bench/costs/metric-count.ts';
import { prices } from '../../../bench/measure/prices.ts';
import { groups } from '../../../functions/index.ts';

/** For a metric that is sent in every hour. */
const priceOfMetric = prices.cloudWatchMetricMonth;

test('the metrics of a deployment cost less than 39 USD a month, and less than 41 with 50 groups', () => {
  expect(metricCount(Object.keys(groups).length) * priceOfMetric).toBeLessThan(39);
  expect(metricCount(50) * priceOfMetric).toBeLessThan(41);
});
