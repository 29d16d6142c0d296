import UPlot, { type AlignedData, type Axis, type Options } from 'uplot';
import { stacked } from './stacked.ts';
import type { TimeChartProps } from './time-chart.tsx';

const font = '11px system-ui, sans-serif';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The stack is drawn from its top down, so that each bar hides all but the end of the one before. */
export const plotData = ({ times, series }: TimeChartProps): AlignedData => [
  times.map((at) => at / 1_000),
  ...stacked(series.map(({ values }) => values)).reverse(),
];

/** @param onHover Called with the bar under the pointer, and where that is: 0 is the left edge, 1 the right one. */
export function plotOptions(
  host: HTMLElement,
  props: TimeChartProps,
  onHover: (hovered: { index: number; left: number } | undefined) => void,
): Options {
  const { times, barMs, series, format, isWhole = false, marks = [] } = props;
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const colourOf = colourReader(host);
  const bars = UPlot.paths.bars?.({ size: [0.78, 48], align: 1, radius: 0.08 });
  return {
    width: host.clientWidth || 600,
    height: host.clientHeight || 220,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    ...(barMs >= dayMs && { tzDate: (at: number) => UPlot.tzDate(new Date(at * 1_000), 'UTC') }),
    scales: {
      x: { range: [first / 1_000, (last + barMs) / 1_000] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [xAxis(colourOf, barMs), yAxis(colourOf, format, isWhole)],
    series: [
      {},
      ...series.toReversed().map(({ label, colour }) => ({
        label,
        fill: () => colourOf(colour),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
    hooks: {
      draw: [(plot) => drawMarks(plot, marks, colourOf)],
      setCursor: [
        (plot) => {
          const { left = -1 } = plot.cursor;
          if (left < 0) return onHover(undefined);
          const index = Math.floor((plot.posToVal(left, 'x') * 1_000 - first) / barMs);
          if (index < 0 || index >= times.length) return onHover(undefined);
          onHover({ index, left: (plot.over.offsetLeft + left) / host.clientWidth });
        },
      ],
    },
  };
}

/** A line over the whole height for each mark, with a head. */
function drawMarks(plot: UPlot, marks: NonNullable<TimeChartProps['marks']>, colourOf: ColourOf): void {
  const { ctx, bbox } = plot;
  const head = 4 * devicePixelRatio;
  for (const { at, colour } of marks) {
    const left = plot.valToPos(at / 1_000, 'x', true);
    if (left < bbox.left || left > bbox.left + bbox.width) continue;
    ctx.save();
    ctx.strokeStyle = colourOf(colour);
    ctx.fillStyle = ctx.strokeStyle;
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(left - head, bbox.top);
    ctx.lineTo(left + head, bbox.top);
    ctx.lineTo(left, bbox.top + 1.5 * head);
    ctx.fill();
    ctx.restore();
  }
}

type ColourOf = (colour: string) => string;

const xAxis = (colourOf: ColourOf, barMs: number): Axis => ({
  stroke: () => colourOf('var(--soft)'),
  font,
  grid: { show: false },
  ticks: { show: false },
  size: 28,
  space: 64,
  // At the end of the last bar another interval begins, which is not shown.
  values: ({ scales: { x } }, splits) =>
    splits.map((at) => (at === x?.max ? '' : (barMs <= hourMs ? hour : day(barMs)).format(at * 1_000))),
});

const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = (barMs: number) =>
  new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    ...(barMs >= dayMs && { timeZone: 'UTC' }),
  });

const yAxis = (colourOf: ColourOf, format: (value: number) => string, isWhole: boolean): Axis => ({
  stroke: () => colourOf('var(--soft)'),
  font,
  grid: { stroke: () => colourOf('var(--line)'), width: 1 },
  ticks: { show: false },
  size: (plot, values) => {
    plot.ctx.font = font;
    const widths = (values ?? []).map((text) => plot.ctx.measureText(text).width);
    return Math.ceil(Math.max(18, ...widths)) / devicePixelRatio + 16;
  },
  space: 36,
  values: (_plot, splits) => splits.map(format),
  ...(isWhole && {
    incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6, 1e7],
  }),
});

/** What a colour of CSS is now: a canvas knows neither variables nor `light-dark()`. */
function colourReader(host: HTMLElement): ColourOf {
  const probe = document.createElement('span');
  probe.hidden = true;
  host.append(probe);
  return (colour) => {
    probe.style.color = colour;
    return getComputedStyle(probe).color;
  };
}
