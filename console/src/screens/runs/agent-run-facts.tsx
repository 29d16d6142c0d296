import type { ReactNode } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { Link } from '../../ui/link.tsx';
import { Status } from '../../ui/status.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { count, dollars, duration } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

type Execution = AnswerOf<'GET /v1/agents/{id}/executions/{executionId}'>;

/** How a run stands, in a few words. */
export function AgentRunFacts({ execution, agentId }: { execution: Execution; agentId: string }) {
  const { status, totalTokens, totalCost, iterations, startedAt, completedAt, parentExecutionId } = execution;
  const took = startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : undefined;
  const facts: [string, ReactNode][] = [
    [
      'Status',
      <span key="status" role="status">
        <Status of={status} />
      </span>,
    ],
    ['Started', <Time key="started" at={startedAt} />],
    ['Took', duration(took) || 'still open'],
    ['Turns', iterations ?? 0],
    ['Tokens', totalTokens === null ? 'at its end' : count(totalTokens)],
    ['Cost, with sub-agents', totalCost === null ? 'not known' : dollars(totalCost)],
  ];
  if (parentExecutionId) {
    facts.push(['Started by', <Parent key="parent" {...{ agentId, parentExecutionId }} />]);
  }
  return (
    <section className="card" aria-label="Summary">
      <Facts of={facts} />
    </section>
  );
}

/** The run around this one, which may be that of another agent, or of a flow. */
function Parent({ agentId, parentExecutionId }: { agentId: string; parentExecutionId: string }) {
  const params = { id: agentId };
  const found = useCall('GET /v1/agents/{id}/executions', {
    params,
    query: { executionId: parentExecutionId },
  });
  if (!found.data) return found.error ? 'another run' : '…';
  const [parent] = found.data.data;
  if (!parent) return 'a flow';
  return (
    <Link to={`/runs/agents/${parent.agentId ?? agentId}/${parent.id}`}>
      a run of <bdi>{parent.agentName ?? 'another agent'}</bdi>
    </Link>
  );
}
