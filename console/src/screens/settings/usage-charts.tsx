import { TimeChart } from '../../ui/charts/time-chart.tsx';
import { count, counted, dollars } from '../../ui/values/format.ts';

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
        <h3 id="cost-chart">Cost</h3>
        {sum(costs) === 0 ? (
          <p className="help">No call in this period had a known price.</p>
        ) : (
          <TimeChart
            label={`Cost by ${granularity}`}
            summary={`${dollars(sum(costs))} in all.`}
            format={dollars}
            series={[{ label: 'Cost', colour: 'var(--series-1)', values: costs }]}
            {...{ times, barMs }}
          />
        )}
      </section>
      <section aria-labelledby="calls-chart">
        <h3 id="calls-chart">Calls</h3>
        <TimeChart
          label={`Calls by ${granularity}`}
          summary={`${counted(sum(calls), 'call')} in all.`}
          format={count}
          isWhole
          series={[{ label: 'Calls', colour: 'var(--series-2)', values: calls }]}
          {...{ times, barMs }}
        />
      </section>
    </div>
  );
}
