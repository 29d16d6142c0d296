import { lazy, Suspense } from 'react';
import { uiTexts } from '../../texts/ui.ts';
import { Loading } from '../loading/loaded.tsx';
import { Table } from '../tables/table.tsx';
import '../../style/time-chart.css';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

interface Series {
  label: string;
  /** Any colour of CSS: `var(--good)`. */
  colour: string;
  values: readonly number[];
}

/** A moment that a chart marks. */
export interface ChartMark {
  at: number;
  label: string;
  colour: string;
}

export interface TimeChartProps {
  /** What the chart shows, for those who do not see it. */
  label: string;
  /** What it says, in a sentence. */
  summary: string;
  /** When each bar begins, in ms. */
  times: readonly number[];
  barMs: number;
  series: readonly Series[];
  /** A value as people read it. */
  format: (value: number) => string;
  isWhole?: boolean;
  marks?: readonly ChartMark[];
}

/** Stacked bars over time, with a legend. A table says the same to those who do not see them. */
export function TimeChart(props: TimeChartProps) {
  const { label, summary, series } = props;
  return (
    <figure className="time-chart">
      <div role="img" aria-label={`${label}. ${summary}`} className="time-chart-plot">
        <Suspense fallback={<Loading />}>
          <Plot {...props} {...fromFirstValue(props)} />
        </Suspense>
      </div>
      <div className="time-chart-foot">
        <Legend label={label} series={series} />
        <ValuesTable {...props} />
      </div>
      <Marks {...props} />
    </figure>
  );
}

const marksMost = 6;

/** What the marks say, the newest first. */
const Marks = ({ marks = [] }: TimeChartProps) =>
  marks.length > 0 && (
    <ul className="time-chart-marks" aria-label={uiTexts.marks}>
      {marks
        .toSorted((one, other) => other.at - one.at)
        .slice(0, marksMost)
        .map(({ at, label, colour }) => (
          <li key={`${at} ${label}`}>
            <span className="time-chart-mark" style={{ background: colour }} />
            <bdi>{label}</bdi> <span className="help">{timeText(at, 0)}</span>
          </li>
        ))}
    </ul>
  );

const barsMin = 8;

/** Without what comes before the first value: a new workspace would have one bar in an empty frame. The table has all. */
function fromFirstValue({ times, series }: TimeChartProps): Pick<TimeChartProps, 'times' | 'series'> {
  const first = times.findIndex((_, index) => series.some(({ values }) => (values[index] ?? 0) !== 0));
  const start = Math.max(0, Math.min(first, times.length - barsMin));
  return {
    times: times.slice(start),
    series: series.map((each) => ({ ...each, values: each.values.slice(start) })),
  };
}

const Legend = ({ label, series }: Pick<TimeChartProps, 'label' | 'series'>) => (
  <ul className="time-chart-legend" aria-label={uiTexts.legendOf(label)}>
    {series.map(({ label: name, colour }) => (
      <li key={name}>
        <span className="time-chart-key" style={{ background: colour }} />
        <bdi>{name}</bdi>
      </li>
    ))}
  </ul>
);

const ValuesTable = ({ label, times, barMs, series, format }: TimeChartProps) => (
  <details className="time-chart-values">
    <summary>{uiTexts.showAsTable}</summary>
    <Table
      label={label}
      rows={times.map((at, index) => ({ at, index }))}
      keyOf={({ at }) => String(at)}
      columns={[
        { title: uiTexts.from, cell: ({ at }) => timeText(at, barMs) },
        ...series.map(({ label: name, values }) => ({
          title: name,
          cell: ({ index }: { index: number }) => format(values[index] ?? 0),
          isNumber: true,
        })),
      ]}
    />
  </details>
);

const dayMs = 86_400_000;
const moment = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
/** Days are those of UTC. */
const day = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** When a bar begins, as people read it. */
export const timeText = (at: number, barMs: number): string => (barMs < dayMs ? moment : day).format(at);
