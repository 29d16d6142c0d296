import { useState } from 'react';
import type { AnswerOf } from '../api/api.ts';
import { usePages } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { dollars } from '../ui/format.ts';
import { Link } from '../ui/link.tsx';
import { Status } from '../ui/status.tsx';
import { AgentRunView } from './agent-run-view.tsx';
import { useAgentRun } from './use-agent-run.ts';

type Child = AnswerOf<'GET /v1/agents/{id}/executions'>['data'][number];

interface Props {
  agentId: string;
  executionId: string;
  isOpen: boolean;
}

/** The runs that a run started, each with its own below it. */
export function SubAgents({ agentId, executionId, isOpen }: Props) {
  const request = { params: { id: agentId }, query: { parentExecutionId: executionId } };
  const children = usePages('GET /v1/agents/{id}/executions', request, { everyMs: isOpen && 2_000 });
  if (children.error) return <Failure error={children.error} />;
  if (!children.rows?.length) return null;
  return (
    <section aria-label="Sub-agents" className="run-children">
      <h3>Sub-agents</h3>
      {children.rows.map((child) => (
        <SubAgent key={child.id} {...{ child, agentId }} />
      ))}
      {children.hasNextPage && <Button onPress={() => children.fetchNextPage()}>Show more</Button>}
    </section>
  );
}

function SubAgent({ child, agentId }: { child: Child; agentId: string }) {
  const [isShown, setShown] = useState(false);
  // An agent that was given inline has no id: its runs are found by that of any agent above it.
  const of = child.agentId ?? agentId;
  return (
    <details className="run-part" onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <bdi>{child.agentName ?? 'Sub-agent'}</bdi> <Status of={child.status} />{' '}
        <span className="help">{child.totalCost !== null && dollars(child.totalCost)}</span>
      </summary>
      {isShown && (
        <div className="run-parts">
          <Link to={`/runs/agents/${of}/${child.id}`}>Open this run</Link>
          <Events agentId={of} child={child} />
          <SubAgents agentId={of} executionId={child.id} isOpen={child.status === 'running'} />
        </div>
      )}
    </details>
  );
}

const Events = ({ agentId, child: { id, status } }: { agentId: string; child: Child }) => (
  <AgentRunView live={useAgentRun(agentId, { executionId: id, status })} isWhole />
);
