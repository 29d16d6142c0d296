import { expect, test } from 'vitest';
import { forecastTable } from '../../support/flows/forecast-table.ts';

test('with a history, nine of ten runs cost within 10 % of the forecast, and none more than its limit', async () => {
  const rows = await forecastTable();
  process.stdout.write(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
  const close = rows.filter(({ expected, cost }) => Math.abs(expected - cost) <= 0.1 * cost);
  expect(rows).toHaveLength(10);
  expect(close.length).toBeGreaterThanOrEqual(9);
  for (const { flow, cost, max } of rows) {
    expect(max, flow).not.toBeNull();
    expect(cost, flow).toBeLessThanOrEqual(Number(max));
  }
}, 300_000);
