import { useCallback, useEffect, useRef, useState } from 'react';
import { type RequestOf, useApi } from '../api/api.ts';
import { emptyTimeLine, type RunEvent, type TimeLine, withRunEvents } from './time-line.ts';

/** How often the page shows what has arrived. */
const everyMs = 50;

export type RunRequest = NonNullable<RequestOf<'POST /v1/dispatch'>['body']>;

/** A run of a flow that this page starts and follows. Leaving the page, or `stop`, cancels it. */
export function useTimeLine() {
  const { events } = useApi();
  const [timeLine, setTimeLine] = useState<TimeLine>();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error>();
  const current = useRef<AbortController>(undefined);

  const start = useCallback(
    async (body: RunRequest) => {
      current.current?.abort();
      const controller = new AbortController();
      current.current = controller;
      const { signal } = controller;
      setRunning(true);
      setError(undefined);
      setTimeLine(emptyTimeLine);
      let arrived: RunEvent[] = [];
      const show = () => {
        if (arrived.length === 0) return;
        const shown = arrived;
        arrived = [];
        setTimeLine((before = emptyTimeLine) => withRunEvents(before, shown));
      };
      const timer = setInterval(show, everyMs);
      try {
        for await (const event of events('POST /v1/dispatch', { body, signal })) arrived.push(event);
      } catch (caught) {
        if (!signal.aborted) setError(caught as Error);
      } finally {
        clearInterval(timer);
        if (current.current === controller) {
          show();
          setRunning(false);
        }
      }
    },
    [events],
  );
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);
  return { timeLine, isRunning, error, start, stop };
}
