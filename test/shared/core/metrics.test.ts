import { expect, test } from 'vitest';
import { metricCount } from '../../../bench/costs/metric-count.ts';
import { prices } from '../../../bench/measure/prices.ts';
import { groups } from '../../../functions/index.ts';

/** For a metric that is sent in every hour. */
const priceOfMetric = prices.cloudWatchMetricMonth;

test('the metrics of a deployment cost less than 34 USD a month, and less than 35 with 40 groups', () => {
  expect(metricCount(Object.keys(groups).length) * priceOfMetric).toBeLessThan(34);
  expect(metricCount(40) * priceOfMetric).toBeLessThan(35);
});
