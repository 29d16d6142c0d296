import { useCallback, useEffect, useRef, useState } from 'react';
import { useApi } from '../../api/api.ts';
import { type AgentRunSource, notStarted, openAgentRun, type RunEventSource } from './open-agent-run.ts';

/** A run that exists, and its last known status, whose change says that there is more to know. */
interface Known {
  executionId: string;
  status: string;
}

/** A run of an agent while it happens. Without a known one, the first request that is sent starts it. */
export function useAgentRun(agentId: string, { executionId, status }: Partial<Known> = {}) {
  const api = useApi();
  const [state, show] = useState(notStarted);
  const source = useRef<AgentRunSource>(undefined);
  useEffect(() => {
    const opened = openAgentRun({
      show,
      executionId,
      follow: (id, after, signal) =>
        api.agentRuns.events.stream({
          params: { id: agentId, executionId: id },
          query: after === undefined ? {} : { after },
          signal,
        }),
    });
    source.current = opened;
    return () => {
      show(notStarted);
      opened.close();
    };
  }, [agentId, executionId, api]);
  const look = useCallback(() => source.current?.look(), []);
  const send = useCallback((open: RunEventSource) => source.current?.send(open), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that pauses, goes on or ends has more events
  useEffect(() => {
    look();
  }, [agentId, executionId, status, look]);
  return { ...state, agentId, look, send };
}

export type LiveRun = ReturnType<typeof useAgentRun>;
