import { useCallback, useEffect, useRef, useState } from 'react';
import { type RequestOf, useApi } from '../api/api.ts';
import { readInBatches } from './read-in-batches.ts';
import { emptyTimeLine, type RunEvent, type TimeLine, withRunEvents } from './time-line.ts';

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
      const add = (more: readonly RunEvent[]) => {
        if (current.current !== controller) return;
        setTimeLine((before = emptyTimeLine) => withRunEvents(before, more));
      };
      try {
        await readInBatches(events('POST /v1/dispatch', { body, signal }), add);
      } catch (caught) {
        if (!signal.aborted) setError(caught as Error);
      } finally {
        if (current.current === controller) setRunning(false);
      }
    },
    [events],
  );
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);
  return { timeLine, isRunning, error, start, stop };
}
