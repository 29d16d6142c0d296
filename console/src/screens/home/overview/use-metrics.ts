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
export function useMetrics({ interval, from }: Window, groupBy?: CostGrouping) {
  const query = { interval, from, ...(groupBy && { groupBy }) };
  return useCall('run-metrics.get', { query }, { everyMs, keepsLast: true });
}

/** Those of the equal time before. */
export const useMetricsBefore = ({ interval, from, beforeFrom }: Window) =>
  useCall(
    'run-metrics.get',
    { query: { interval, from: beforeFrom, to: from } },
    { everyMs: everyMs * 10, keepsLast: true },
  );
