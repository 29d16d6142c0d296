import { useState } from 'react';
import type { AnswerOf } from '../../../api/api.ts';
import { TimeChart } from '../../../ui/charts/time-chart.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { Empty, Loaded } from '../../../ui/loading/loaded.tsx';
import { dollars } from '../../../ui/values/format.ts';
import { type Range, type Window, wordsOf } from './range.ts';
import { barTimes, costLines } from './series.ts';
import { type Grouping, useMetrics, useWindow } from './use-metrics.ts';

type Groups = AnswerOf<'GET /v1/run-metrics'>['groups'];

const groupings = [
  { value: 'flow', label: 'Flow', nameless: 'Not of a flow' },
  { value: 'agent', label: 'Agent', nameless: 'Not of an agent' },
  { value: 'model', label: 'Model', nameless: 'Unknown' },
] as const;

/** What runs cost over time, by what one chooses. */
export function CostSection({ range }: { range: Range }) {
  const [by, setBy] = useState<Grouping>('flow');
  const window = useWindow(range);
  const metrics = useMetrics(window, by);
  return (
    <section className="card" aria-labelledby="cost-over-time">
      <div className="home-head">
        <h2 id="cost-over-time">Cost</h2>
        <Choice label="Cost by" value={by} options={groupings} onChange={setBy} />
      </div>
      <Loaded of={metrics}>
        {({ groups }) => <CostChart groups={groups} by={by} range={range} window={window} />}
      </Loaded>
    </section>
  );
}

interface ChartProps {
  groups: Groups;
  by: Grouping;
  range: Range;
  window: Window;
}

function CostChart({ groups, by, range, window }: ChartProps) {
  const nameless = groupings.find(({ value }) => value === by)?.nameless ?? '';
  const lines = costLines(groups, nameless, window.perBar);
  const [most] = lines;
  if (!most) {
    return (
      <Empty title={`Nothing cost anything in the last ${wordsOf(range)}`}>
        <p>Calls of models with a known price show here.</p>
      </Empty>
    );
  }
  const series = lines.map((line, index) => ({ ...line, colour: `var(--home-series-${index + 1})` }));
  return (
    <TimeChart
      label={`Cost by ${by}, the last ${wordsOf(range)}`}
      summary={`${most.label} cost the most: ${dollars(totalOf(most.values))}.`}
      format={dollars}
      series={series}
      barMs={window.barMs}
      times={barTimes(groups[0]?.points[0]?.at ?? window.from, most.values.length, window.barMs)}
    />
  );
}

const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
