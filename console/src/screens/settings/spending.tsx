import { lazy, Suspense } from 'react';
import { useCall } from '../../api/queries.ts';
import { Loaded, Loading } from '../../ui/loading/loaded.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { compact, dollars } from '../../ui/values/format.ts';

const CostChart = lazy(async () => ({ default: (await import('./cost-chart.tsx')).CostChart }));

const today = () => new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
const monthStart = () => `${today().slice(0, 'yyyy-mm'.length)}-01`;

/** What models cost: today, this month, by day and by model. */
export function Spending() {
  const month = useCall('GET /v1/model-usage', { query: { startDate: monthStart(), granularity: 'day' } });
  return (
    <section className="card" aria-labelledby="spending">
      <h2 id="spending">Models</h2>
      <Loaded of={month}>
        {({ summary, timeSeries, usageByModel }) => {
          const last = timeSeries.at(-1);
          const day = last?.date === today() ? last : undefined;
          return (
            <>
              <Facts
                isBig
                of={[
                  ['Cost today', dollars(day?.cost)],
                  ['Cost this month', dollars(summary.totalCost)],
                  ['Tokens today', compact(day?.tokens ?? 0)],
                  ['Tokens this month', compact(summary.totalTokens)],
                ]}
              />
              {summary.totalRequests > 0 && (
                <Suspense fallback={<Loading />}>
                  <CostChart days={timeSeries} models={Object.values(usageByModel)} />
                </Suspense>
              )}
              {summary.requestsWithoutPrice > 0 && (
                <p className="help">
                  {compact(summary.requestsWithoutPrice)} calls went to models without a known price. They are
                  not in the costs.
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
