import { AlertFromChart, useAlertMarks } from '../../../alerts/chart-alerts.tsx';
import type { OperationResponse } from '../../../api/api.ts';
import { homeTexts } from '../../../texts/home.ts';
import { countText } from '../../../texts/language.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { TimeChart } from '../../../ui/charts/time-chart.tsx';
import { Link } from '../../../ui/link.tsx';
import { Empty, Loaded } from '../../../ui/loading/loaded.tsx';
import { CostSection } from './cost-section.tsx';
import { Failures } from './failures.tsx';
import { Figures } from './figures.tsx';
import { RunningNow, Waiting } from './open-runs.tsx';
import { type Range, rangeWords, type Window } from './range.ts';
import { barTimes, folded } from './series.ts';
import { useMetrics, useWindow } from './use-metrics.ts';

/** What ran in a range of time, what it cost, and what needs somebody. Each part asks for itself. */
export const Overview = ({ range }: { range: Range }) => (
  <div className="stack">
    <Figures range={range} />
    <div className="home-pair">
      <RunsSection range={range} />
      <CostSection range={range} />
    </div>
    <div className="home-pair">
      <RunningNow />
      <Waiting />
    </div>
    <Failures range={range} />
  </div>
);

type Points = OperationResponse<'run-metrics.get'>['groups'][number]['points'];

const outcomes = [
  { member: 'completed', label: sharedTexts.completed, colour: 'var(--home-completed)' },
  { member: 'failed', label: sharedTexts.failed, colour: 'var(--home-failed)' },
  { member: 'cancelled', label: homeTexts.cancelled, colour: 'var(--home-cancelled)' },
] as const;

/** How many runs ended when, and how. */
function RunsSection({ range }: { range: Range }) {
  const window = useWindow(range);
  const metrics = useMetrics(window);
  const marks = useAlertMarks(watchedHere, window.from);
  return (
    <section className="card" aria-labelledby="runs-over-time">
      <div className="home-head">
        <h2 id="runs-over-time">{sharedTexts.runs}</h2>
        <div className="actions">
          <AlertFromChart
            chart={sharedTexts.runs}
            metric="failures"
            most={mostFailed(metrics.data?.groups[0]?.points ?? [], window)}
            barMs={window.barMs}
          />
          <Link to="/runs">{homeTexts.allRuns}</Link>
        </div>
      </div>
      <Loaded of={metrics}>
        {({ groups: [all] }) => {
          const { runs = 0, failed = 0 } = all?.total ?? {};
          if (runs === 0) return <Empty title={homeTexts.noRuns(rangeWords(range))} />;
          return (
            <TimeChart
              label={homeTexts.runsByOutcome(rangeWords(range))}
              summary={homeTexts.endedAndFailed(runs, failed)}
              format={countText}
              isWhole
              marks={marks}
              {...barsOf(all?.points ?? [], window)}
            />
          );
        }}
      </Loaded>
    </section>
  );
}

const watchedHere = ['failures', 'failure-rate', 'runs', 'duration-p95'] as const;

const mostFailed = (points: Points, { perBar }: Window) =>
  Math.max(
    0,
    ...folded(
      points.map(({ failed }) => failed),
      perBar,
    ),
  );

function barsOf(points: Points, { from, perBar, barMs }: Window) {
  const series = outcomes.map(({ member, label, colour }) => ({
    label,
    colour,
    values: folded(
      points.map((point) => point[member]),
      perBar,
    ),
  }));
  const first = points[0]?.at ?? from;
  return { series, barMs, times: barTimes(first, series[0]?.values.length ?? 0, barMs) };
}
