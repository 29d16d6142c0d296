import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { usageTexts } from '../../texts/usage.ts';
import { Segments } from '../../ui/forms/segments.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { compact, dollars } from '../../ui/values/format.ts';
import { SettingsPage } from './layout/settings-page.tsx';
import { UsageByKey } from './usage-by-key.tsx';
import '../../style/settings.css';
import type { OperationResponse } from '../../api/api.ts';
import { countText } from '../../texts/language.ts';
import { TimeChart } from '../../ui/charts/time-chart.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { Time } from '../../ui/values/time.tsx';
import { Share } from './share.tsx';

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

/** How much of the limits of requests is used. */
function UsageLimits() {
  const limits = useCall('usage-limits.get', {}, { everyMs: 60_000 });
  return (
    <section className="card" aria-labelledby="limits">
      <h2 id="limits">{usageTexts.requestsOfSession}</h2>
      <Loaded of={limits}>
        {({ usage: { hourly, daily } }) => (
          <div className="cards">
            {[
              { ...hourly, label: usageTexts.thisHour },
              { ...daily, label: usageTexts.thisDay },
            ].map(({ label, executionsUsed, executionLimit, resetsAt }) => (
              <div key={label}>
                <p>{usageTexts.used(label, executionsUsed, executionLimit)}</p>
                <progress aria-label={label} value={executionsUsed} max={executionLimit} />
                <p className="help">{usageTexts.resets(<Time at={resetsAt} />)}</p>
              </div>
            ))}
          </div>
        )}
      </Loaded>
    </section>
  );
}

const today = () => new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
const monthStart = () => `${today().slice(0, 'yyyy-mm'.length)}-01`;

/** What models cost today and this month. */
function Spending() {
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

type Models = OperationResponse<'model-usage.get'>['usageByModel'];

const shownMax = 20;

/** The models that cost the most. */
function UsageByModel({ models }: { models: Models }) {
  const rows = Object.values(models).toSorted((a, b) => b.totalCost - a.totalCost);
  const whole = rows.reduce((sum, { totalCost }) => sum + totalCost, 0);
  return (
    <>
      <h3>{usageTexts.byModel}</h3>
      <Table
        label={usageTexts.usageByModel}
        rows={rows.slice(0, shownMax)}
        keyOf={({ provider, modelId }) => `${provider}/${modelId}`}
        columns={[
          {
            title: sharedTexts.model,
            cell: ({ provider, modelId }) => <bdi>{`${provider}/${modelId}`}</bdi>,
          },
          {
            title: usageTexts.share,
            cell: ({ totalCost }) => <Share of={totalCost} whole={whole} />,
            isExtra: true,
          },
          { title: sharedTexts.calls, cell: ({ requestCount }) => countText(requestCount), isNumber: true },
          {
            title: sharedTexts.tokens,
            cell: ({ totalTokens }) => countText(totalTokens),
            isNumber: true,
            isExtra: true,
          },
          {
            title: usageTexts.cachedTokens,
            cell: ({ cachedTokens }) => countText(cachedTokens),
            isNumber: true,
            isExtra: true,
          },
          {
            title: usageTexts.cacheSavings,
            cell: ({ cacheSavings }) => dollars(cacheSavings),
            isNumber: true,
            isExtra: true,
          },
          { title: sharedTexts.cost, cell: ({ totalCost }) => dollars(totalCost), isNumber: true },
        ]}
      />
      {rows.length > shownMax && <p className="help">{usageTexts.moreModels(rows.length - shownMax)}</p>}
    </>
  );
}

interface Props {
  /** Days, or weeks by their first day. */
  periods: readonly { date: string; cost: number; requests: number }[];
  granularity: 'day' | 'week';
}

/** Cost and calls of models over time, beside each other. */
function UsageCharts({ periods, granularity }: Props) {
  const times = periods.map(({ date }) => Date.parse(date));
  const barMs = granularity === 'day' ? dayMs : 7 * dayMs;
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
  const costs = periods.map(({ cost }) => cost);
  const calls = periods.map(({ requests }) => requests);
  return (
    <div className="settings-charts">
      <section aria-labelledby="cost-chart">
        <h3 id="cost-chart">{sharedTexts.cost}</h3>
        {sum(costs) === 0 ? (
          <p className="help">{usageTexts.noKnownCost}</p>
        ) : (
          <TimeChart
            label={granularity === 'day' ? usageTexts.costByDay : usageTexts.costByWeek}
            summary={usageTexts.costInAll(dollars(sum(costs)))}
            format={dollars}
            series={[{ label: sharedTexts.cost, colour: 'var(--series-1)', values: costs }]}
            times={times}
            barMs={barMs}
          />
        )}
      </section>
      <section aria-labelledby="calls-chart">
        <h3 id="calls-chart">{sharedTexts.calls}</h3>
        <TimeChart
          label={granularity === 'day' ? usageTexts.callsByDay : usageTexts.callsByWeek}
          summary={usageTexts.callsInAll(sum(calls))}
          format={countText}
          isWhole
          series={[{ label: sharedTexts.calls, colour: 'var(--series-2)', values: calls }]}
          times={times}
          barMs={barMs}
        />
      </section>
    </div>
  );
}
