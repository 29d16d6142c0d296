import { useCallback, useEffect, useRef, useState } from 'react';
import { type AgentEvent, emptyRun, type RunView, withEvents } from './agent-events.ts';

/** How often the page shows what has arrived. */
const everyMs = 50;

/** The view of a run that its events build up, whichever requests they come from. */
export function useAgentStream() {
  const [run, setRun] = useState<RunView>(emptyRun);
  const [isStreaming, setStreaming] = useState(false);
  const [error, setError] = useState<Error>();
  const current = useRef<AbortController>(undefined);

  const follow = useCallback(async (open: (signal: AbortSignal) => AsyncIterable<unknown>, fresh = false) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    setStreaming(true);
    setError(undefined);
    if (fresh) setRun(emptyRun);
    let arrived: AgentEvent[] = [];
    const flush = () => {
      if (arrived.length === 0 || controller.signal.aborted) return;
      const events = arrived;
      arrived = [];
      setRun((before) => withEvents(before, events));
    };
    const timer = setInterval(flush, everyMs);
    try {
      for await (const event of open(controller.signal)) arrived.push(event as AgentEvent);
    } catch (caught) {
      if (!controller.signal.aborted) setError(caught as Error);
    } finally {
      clearInterval(timer);
      flush();
      if (current.current === controller) setStreaming(false);
    }
  }, []);

  useEffect(() => () => current.current?.abort(), []);
  return { run, isStreaming, error, follow };
}
