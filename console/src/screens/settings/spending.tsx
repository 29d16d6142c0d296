import { useCall } from '../../api/queries.ts';
import { usageTexts } from '../../texts/usage.ts';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { compact, dollars } from '../../ui/values/format.ts';

const today = () => new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
const monthStart = () => `${today().slice(0, 'yyyy-mm'.length)}-01`;

/** What models cost today and this month. */
export function Spending() {
  const month = useCall('model-usage.get', { query: { startDate: monthStart(), granularity: 'day' } });
  return (
    <section className="card" aria-labelledby="spending">
      <h2 id="spending">{usageTexts.thisMonth}</h2>
      <Loaded of={month}>
        {({ summary, timeSeries }) => {
          const last = timeSeries.at(-1);
          const day = last?.date === today() ? last : undefined;
          return (
            <>
              <Facts
                isBig
                of={[
                  [usageTexts.costToday, dollars(day?.cost)],
                  [usageTexts.costThisMonth, dollars(summary.totalCost)],
                  [usageTexts.tokensToday, compact(day?.tokens ?? 0)],
                  [usageTexts.tokensThisMonth, compact(summary.totalTokens)],
                ]}
              />
              {summary.requestsWithoutPrice > 0 && (
                <p className="help">{usageTexts.callsWithoutPrice(compact(summary.requestsWithoutPrice))}</p>
              )}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
