import { useEffect } from 'react';
import { useApi } from '../api/api.ts';
import { useAgentStream } from './use-agent-stream.ts';

/** The events of a run from its start, and on while it runs. A run that goes on after a wait is followed anew. */
export function useRunEvents(agentId: string, executionId: string, status: string) {
  const { events } = useApi();
  const stream = useAgentStream();
  const { follow } = stream;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that pauses or goes on has more events
  useEffect(() => {
    const params = { id: agentId, executionId };
    follow(
      (signal) => events('GET /v1/agents/{id}/executions/{executionId}/events', { params, signal }),
      true,
    );
  }, [agentId, executionId, status, events, follow]);
  return stream;
}
