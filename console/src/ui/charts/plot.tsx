import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { plotData, plotOptions } from './plot-options.ts';
import { type TimeChartProps, timeText } from './time-chart.tsx';
import 'uplot/dist/uPlot.min.css';

interface Hovered {
  index: number;
  left: number;
}

/** The bars themselves, by uPlot, and what the bar under the pointer says. */
export function Plot(props: TimeChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const [hovered, setHovered] = useState<Hovered>();
  const marked = props.marks?.map(({ at }) => at).join();
  const shape = `${props.series.map(({ label }) => label)} ${props.barMs} ${props.times[0]} ${marked}`;
  const newest = useRef(props);
  newest.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another shape is another plot
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const made = new UPlot(
      plotOptions(element, newest.current, (next) =>
        setHovered((before) => (before?.index === next?.index ? before : next)),
      ),
      plotData(newest.current),
      element,
    );
    plot.current = made;
    const endFollowing = follow(element, made);
    return () => {
      endFollowing();
      made.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(plotData(props)), [props]);

  return (
    <div ref={host} className="time-chart-host">
      {hovered && <Tooltip {...props} hovered={hovered} />}
    </div>
  );
}

/** Draws again when the width or the colours change. */
function follow(element: HTMLElement, plot: UPlot): () => void {
  const sizes = new ResizeObserver(() => plot.setSize(sizeOf(element)));
  sizes.observe(element);
  const redraw = () => plot.redraw(false, true);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', redraw);
  const themes = new MutationObserver(redraw);
  themes.observe(document.documentElement, { attributes: true });
  return () => {
    sizes.disconnect();
    dark.removeEventListener('change', redraw);
    themes.disconnect();
  };
}

const sizeOf = ({ clientWidth: width, clientHeight: height }: HTMLElement) => ({ width, height });

const Tooltip = ({ times, barMs, series, format, hovered }: TimeChartProps & { hovered: Hovered }) => (
  <div
    className="time-chart-tooltip"
    aria-hidden="true"
    style={
      hovered.left > 0.5 ? { right: `${(1 - hovered.left) * 100}%` } : { left: `${hovered.left * 100}%` }
    }
  >
    <strong>{timeText(times[hovered.index] ?? 0, barMs)}</strong>
    <ul>
      {series.map(({ label, colour, values }) => (
        <li key={label}>
          <span className="time-chart-key" style={{ background: colour }} />
          <span>{label}</span>
          <span>{format(values[hovered.index] ?? 0)}</span>
        </li>
      ))}
    </ul>
  </div>
);
