import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { usageTexts } from '../../texts/usage.ts';
import { Segments } from '../../ui/forms/segments.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { dollars } from '../../ui/values/format.ts';
import { SettingsPage } from './layout/settings-page.tsx';
import { UsageLimits } from './limits.tsx';
import { Spending } from './spending.tsx';
import { UsageByKey } from './usage-by-key.tsx';
import { UsageByModel } from './usage-by-model.tsx';
import { UsageCharts } from './usage-charts.tsx';
import '../../style/settings.css';

const periods = [
  { value: 'week', label: sharedTexts.sevenDays, words: usageTexts.lastSevenDays, days: 7 },
  { value: 'month', label: sharedTexts.thirtyDays, words: usageTexts.lastThirtyDays, days: 30 },
  { value: 'year', label: usageTexts.daysOfYear, words: usageTexts.lastYear, days: 365 },
] as const;
type Period = (typeof periods)[number]['value'];

const dayMs = 86_400_000;

/** What models cost: today, this month, by day, by model and by API key. And the limits of requests. */
export function Usage() {
  const [period, setPeriod] = useState<Period>('month');
  const granularity = period === 'year' ? 'week' : 'day';
  const usage = useCall('model-usage.get', { query: { period, granularity } }, { keepsLast: true });
  const days = periods.find(({ value }) => value === period)?.days ?? 1;
  const from = new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return (
    <SettingsPage
      title={sharedTexts.usage}
      actions={<Segments label={usageTexts.period} value={period} options={periods} onChange={setPeriod} />}
    >
      <div className="stack">
        <Spending />
        <section className="card" aria-labelledby="models">
          <h2 id="models">{sharedTexts.models}</h2>
          <Loaded of={usage}>
            {({ summary, timeSeries, usageByModel }) =>
              summary.totalRequests === 0 ? (
                <Empty title={usageTexts.noModelCalls} />
              ) : (
                <>
                  <p>
                    {usageTexts.costOfCalls(
                      dollars(summary.totalCost),
                      summary.totalRequests,
                      sharedTexts.tokenCount(summary.totalTokens),
                    )}
                  </p>
                  {(summary.cachedTokens > 0 || summary.cacheSavings !== 0) && (
                    <p className="help">
                      {usageTexts.cached(summary.cachedTokens, dollars(Math.abs(summary.cacheSavings)), {
                        isLoss: summary.cacheSavings < 0,
                      })}
                    </p>
                  )}
                  <UsageCharts periods={timeSeries} granularity={granularity} />
                  <UsageByModel models={usageByModel} />
                </>
              )
            }
          </Loaded>
        </section>
        <UsageByKey from={from} />
        <UsageLimits />
      </div>
    </SettingsPage>
  );
}
