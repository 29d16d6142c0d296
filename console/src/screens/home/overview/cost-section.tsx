import { useState } from 'react';
import { AlertFromChart, useAlertMarks } from '../../../alerts/chart-alerts.tsx';
import type { OperationResponse } from '../../../api/api.ts';
import { homeTexts } from '../../../texts/home.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { type ChartMark, TimeChart } from '../../../ui/charts/time-chart.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { Empty, Loaded } from '../../../ui/loading/loaded.tsx';
import { dollars } from '../../../ui/values/format.ts';
import { type Range, rangeWords, type Window } from './range.ts';
import { barTimes, costLines, folded } from './series.ts';
import { type CostGrouping, useMetrics, useWindow } from './use-metrics.ts';

type Groups = OperationResponse<'run-metrics.get'>['groups'];

const groupings = [
  { value: 'flow', label: sharedTexts.flow, nameless: homeTexts.withoutFlow },
  { value: 'agent', label: sharedTexts.agent, nameless: homeTexts.withoutAgent },
  { value: 'model', label: sharedTexts.model, nameless: homeTexts.unknown },
] as const;

/** What runs cost over time, by what one chooses. */
export function CostSection({ range }: { range: Range }) {
  const [by, setBy] = useState<CostGrouping>('flow');
  const window = useWindow(range);
  const metrics = useMetrics(window, by);
  const marks = useAlertMarks(watchedHere, window.from);
  return (
    <section className="card" aria-labelledby="cost-over-time">
      <div className="home-head">
        <h2 id="cost-over-time">{sharedTexts.cost}</h2>
        <div className="actions">
          <AlertFromChart
            chart={sharedTexts.cost}
            metric="cost"
            most={mostInBar(metrics.data?.groups ?? [], window)}
            barMs={window.barMs}
          />
          <Choice label={homeTexts.costBy} value={by} options={groupings} onChange={setBy} />
        </div>
      </div>
      <Loaded of={metrics}>
        {({ groups }) => <CostChart groups={groups} by={by} range={range} window={window} marks={marks} />}
      </Loaded>
    </section>
  );
}

const watchedHere = ['cost'] as const;

/** What all groups cost in the bar that cost the most. */
function mostInBar(groups: Groups, { perBar }: Window): number {
  const sums = groups.map(({ points }) =>
    folded(
      points.map(({ cost }) => Number(cost ?? 0)),
      perBar,
    ),
  );
  const bars = sums[0]?.map((_, bar) => sums.reduce((sum, values) => sum + (values[bar] ?? 0), 0)) ?? [];
  return Math.max(0, ...bars);
}

interface ChartProps {
  groups: Groups;
  by: CostGrouping;
  range: Range;
  window: Window;
  marks: readonly ChartMark[];
}

function CostChart({ groups, by, range, window, marks }: ChartProps) {
  const nameless = groupings.find(({ value }) => value === by)?.nameless ?? '';
  const lines = costLines(groups, nameless, window.perBar);
  const [most] = lines;
  if (!most) {
    return (
      <Empty title={homeTexts.noCost(rangeWords(range))}>
        <p>{homeTexts.aboutCost}</p>
      </Empty>
    );
  }
  const series = lines.map((line, index) => ({ ...line, colour: `var(--home-series-${index + 1})` }));
  return (
    <TimeChart
      label={homeTexts.costByOver(by, rangeWords(range))}
      summary={homeTexts.mostCostly(most.label, dollars(totalOf(most.values)))}
      format={dollars}
      marks={marks}
      series={series}
      barMs={window.barMs}
      times={barTimes(groups[0]?.points[0]?.at ?? window.from, most.values.length, window.barMs)}
    />
  );
}

const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
