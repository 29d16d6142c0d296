import { useCallback, useEffect, useRef, useState } from 'react';
import { emptyFlowRun, type FollowedFlowRun, withFlowEvents } from './flow-run.ts';
import type { RunEvent } from './parts/events.ts';
import { readInBatches } from './read-in-batches.ts';
import { type DispatchRunBody, useDispatch } from './use-dispatch.ts';

/** A run of a flow that this page starts and follows. Leaving the page, or `stop`, cancels it. */
export function useFlowRun() {
  const dispatch = useDispatch();
  const [run, setRun] = useState<FollowedFlowRun>();
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error>();
  const current = useRef<AbortController>(undefined);

  const start = useCallback(
    async (requested: () => Promise<DispatchRunBody>) => {
      current.current?.abort();
      const controller = new AbortController();
      current.current = controller;
      const { signal } = controller;
      setRunning(true);
      setError(undefined);
      setRun(emptyFlowRun);
      const add = (more: readonly RunEvent[]) => {
        if (current.current !== controller) return;
        setRun((before = emptyFlowRun) => withFlowEvents(before, more));
      };
      try {
        const body = await requested();
        if (signal.aborted) return;
        await readInBatches(dispatch(body, signal), add);
      } catch (caught) {
        if (!signal.aborted) setError(caught as Error);
      } finally {
        if (current.current === controller) setRunning(false);
      }
    },
    [dispatch],
  );
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);
  return { run, isRunning, error, start, stop };
}
