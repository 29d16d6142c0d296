import { countText } from '../../texts/language.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { usageTexts } from '../../texts/usage.ts';
import { TimeChart } from '../../ui/charts/time-chart.tsx';
import { dollars } from '../../ui/values/format.ts';

interface Props {
  /** Days, or weeks by their first day. */
  periods: readonly { date: string; cost: number; requests: number }[];
  granularity: 'day' | 'week';
}

const dayMs = 86_400_000;

/** Cost and calls of models over time, beside each other. */
export function UsageCharts({ periods, granularity }: Props) {
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
            {...{ times, barMs }}
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
          {...{ times, barMs }}
        />
      </section>
    </div>
  );
}
