import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Choice } from '../../ui/forms/choice.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { count, dollars } from '../../ui/values/format.ts';
import { CostChart } from './cost-chart.tsx';
import { SettingsPage } from './layout/settings-page.tsx';
import { Limits } from './limits.tsx';
import { Spending } from './spending.tsx';

const periods = [
  { value: 'week', label: 'The last 7 days' },
  { value: 'month', label: 'The last 30 days' },
  { value: 'year', label: 'The last 365 days' },
] as const;
type Period = (typeof periods)[number]['value'];

/** What models cost: today, this month, by day and by model. And the limits of requests. */
export function Usage() {
  const [period, setPeriod] = useState<Period>('month');
  const granularity = period === 'year' ? 'week' : 'day';
  const usage = useCall('GET /v1/model-usage', { query: { period, granularity } }, { keepsLast: true });
  return (
    <SettingsPage title="Usage">
      <div className="stack">
        <Spending />
        <section className="card" aria-label="Models">
          <Choice label="Period" value={period} options={periods} onChange={setPeriod} />
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
                  <CostChart days={timeSeries} models={Object.values(usageByModel)} />
                </>
              )
            }
          </Loaded>
        </section>
        <Limits />
      </div>
    </SettingsPage>
  );
}
