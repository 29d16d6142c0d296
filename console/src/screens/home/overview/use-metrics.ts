import { useEffect, useState } from 'react';
import { useCall } from '../../../api/queries.ts';
import { type Range, rangeWindow, type Window } from './range.ts';

const everyMs = 30_000;
const minuteMs = 60_000;

/** The intervals of a range. They move on while the page is open. */
export function useWindow(range: Range): Window {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minuteMs);
    return () => clearInterval(timer);
  }, []);
  return rangeWindow(range, now);
}

export type CostGrouping = 'flow' | 'agent' | 'model';

/** The metrics of all runs, or by flow, agent or model. */
export function useMetrics({ interval, from }: Window, groupBy?: CostGrouping, enabled = true) {
  const query = { interval, from, ...(groupBy && { groupBy }) };
  return useCall('run-metrics.get', { query }, { everyMs, keepsLast: true, enabled });
}

const dayPoints = 7;

/** The range that somebody chose, else the shortest one in which something ran. */
export function useShownRange(chosen: Range | undefined, enabled: boolean): Range {
  const asks = enabled && chosen === undefined;
  const day = useMetrics(useWindow('24h'), undefined, asks);
  const isQuiet = day.data?.groups[0]?.total.runs === 0;
  const month = useMetrics(useWindow('30d'), undefined, asks && isQuiet);
  if (chosen) return chosen;
  const points = isQuiet ? (month.data?.groups[0]?.points ?? []) : [];
  const ran = points.map(({ completed, failed, cancelled }) => completed + failed + cancelled > 0);
  if (ran.slice(-dayPoints).includes(true)) return '7d';
  return ran.includes(true) ? '30d' : '24h';
}

/** Those of the equal time before. */
export const useMetricsBefore = ({ interval, from, beforeFrom }: Window) =>
  useCall(
    'run-metrics.get',
    { query: { interval, from: beforeFrom, to: from } },
    { everyMs: everyMs * 10, keepsLast: true },
  );
