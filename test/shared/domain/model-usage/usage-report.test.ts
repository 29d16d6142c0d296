import { expect, test } from 'vitest';
import { createModelCall } from '../../../../shared/domain/model-usage/model-calls.ts';
import { usageWrites } from '../../../../shared/domain/model-usage/usage.ts';
import { createUsageReport, usageMonths } from '../../../../shared/domain/model-usage/usage-report.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

const source = { modelUsed: 'anthropic/claude-opus-5', keySource: 'platform' as const, durationMs: 1 };
const wrote = createModelCall({
  ...source,
  usage: { inputTokens: 1_000, outputTokens: 10, cacheWriteTokens: 800 },
  cost: '0.00625',
  cacheSavings: '-0.001',
});
const read = createModelCall({
  ...source,
  usage: { inputTokens: 1_000, outputTokens: 10, cacheReadTokens: 800 },
  cost: '0.00165',
  cacheSavings: '0.0036',
});

test('a report says what caches served and saved, also if writing to them cost more', async () => {
  const { tenant } = await newTenant();
  const scope = countingRuntime().scopeOf(tenant);
  const date = scope.now().toISOString().slice(0, 'yyyy-mm-dd'.length);
  const range = { startDate: date, endDate: date, granularity: 'day' } as const;
  const report = async () => {
    const months = await usageMonths(scope)(null, date.slice(0, 7), date.slice(0, 7));
    return createUsageReport(
      months.flatMap(({ days }) => days),
      range,
    );
  };
  await scope.table.commit(usageWrites(scope, [{ flowId: null, calls: [wrote] }]));
  expect((await report()).summary).toMatchObject({ cachedTokens: 0, cacheSavings: -0.001 });
  await scope.table.commit(usageWrites(scope, [{ flowId: null, calls: [read, read] }]));
  const { summary, usageByModel } = await report();
  expect(summary).toMatchObject({ totalTokens: 3_030, cachedTokens: 1_600, cacheSavings: 0.0062 });
  expect(usageByModel[source.modelUsed]).toMatchObject({ cachedTokens: 1_600, cacheSavings: 0.0062 });
});
