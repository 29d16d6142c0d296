import type { ReactNode } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { countText } from '../../texts/language.ts';
import { runTexts } from '../../texts/runs.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Link } from '../../ui/link.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { dollars, durationText } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

type Execution = OperationResponse<'agent-executions.get'>;

/** How a run stands, in a few words. */
export function AgentRunFacts({ execution, agentId }: { execution: Execution; agentId: string }) {
  const { status, totalTokens, totalCost, iterations, startedAt, completedAt, parentExecutionId } = execution;
  const took = startedAt && completedAt ? Date.parse(completedAt) - Date.parse(startedAt) : undefined;
  const facts: [string, ReactNode][] = [
    [
      sharedTexts.status,
      <span key="status" role="status">
        <StatusLabel of={status} />
      </span>,
    ],
    [sharedTexts.started, <Time key="started" at={startedAt} />],
    [sharedTexts.duration, durationText(took) || runTexts.stillOpen],
    [sharedTexts.turns, iterations ?? 0],
    [sharedTexts.tokens, totalTokens === null ? runTexts.atItsEnd : countText(totalTokens)],
    [runTexts.costWithSubAgents, totalCost === null ? runTexts.notKnown : dollars(totalCost)],
  ];
  if (parentExecutionId) {
    facts.push([runTexts.startedBy, <Parent key="parent" {...{ agentId, parentExecutionId }} />]);
  }
  return (
    <section className="card" aria-label={sharedTexts.summary}>
      <Facts of={facts} />
    </section>
  );
}

/** The run around this one, which may be that of another agent, or of a flow. */
function Parent({ agentId, parentExecutionId }: { agentId: string; parentExecutionId: string }) {
  const params = { id: agentId };
  const found = useCall('agent-executions.list', {
    params,
    query: { executionId: parentExecutionId },
  });
  if (!found.data) return found.error ? runTexts.anotherRun : '…';
  const [parent] = found.data.data;
  if (!parent) return runTexts.aFlow;
  return (
    <Link to={`/runs/agents/${parent.agentId ?? agentId}/${parent.id}`}>
      {runTexts.aRunOf(<bdi>{parent.agentName ?? runTexts.anotherAgent}</bdi>)}
    </Link>
  );
}
