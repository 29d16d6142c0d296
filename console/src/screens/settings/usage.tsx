import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Segments } from '../../ui/forms/segments.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { count, dollars } from '../../ui/values/format.ts';
import { SettingsPage } from './layout/settings-page.tsx';
import { Limits } from './limits.tsx';
import { Spending } from './spending.tsx';
import { UsageByKey } from './usage-by-key.tsx';
import { UsageByModel } from './usage-by-model.tsx';
import { UsageCharts } from './usage-charts.tsx';
import '../../style/settings.css';

const periods = [
  { value: 'week', label: '7 days', words: 'The last 7 days', days: 7 },
  { value: 'month', label: '30 days', words: 'The last 30 days', days: 30 },
  { value: 'year', label: '365 days', words: 'The last 365 days', days: 365 },
] as const;
type Period = (typeof periods)[number]['value'];

const dayMs = 86_400_000;

/** What models cost: today, this month, by day, by model and by API key. And the limits of requests. */
export function Usage() {
  const [period, setPeriod] = useState<Period>('month');
  const granularity = period === 'year' ? 'week' : 'day';
  const usage = useCall('GET /v1/model-usage', { query: { period, granularity } }, { keepsLast: true });
  const days = periods.find(({ value }) => value === period)?.days ?? 1;
  const from = new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 'yyyy-mm-dd'.length);
  return (
    <SettingsPage
      title="Usage"
      actions={<Segments label="Period" value={period} options={periods} onChange={setPeriod} />}
    >
      <div className="stack">
        <Spending />
        <section className="card" aria-labelledby="models">
          <h2 id="models">Models</h2>
          <Loaded of={usage}>
            {({ summary, timeSeries, usageByModel }) =>
              summary.totalRequests === 0 ? (
                <Empty title="No model calls in this period" />
              ) : (
                <>
                  <p>
                    {dollars(summary.totalCost)} for {count(summary.totalRequests)} calls with{' '}
                    {count(summary.totalTokens)} tokens
                  </p>
                  <UsageCharts periods={timeSeries} granularity={granularity} />
                  <UsageByModel models={usageByModel} />
                </>
              )
            }
          </Loaded>
        </section>
        <UsageByKey from={from} />
        <Limits />
      </div>
    </SettingsPage>
  );
}
