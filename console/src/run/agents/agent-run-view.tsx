import { useEffect, useState } from 'react';
import { runViewTexts } from '../../texts/run-view.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { dollars } from '../../ui/values/format.ts';
import { PartsView } from '../parts/parts-view.tsx';
import { RunEndView } from '../parts/run-end-view.tsx';
import { AgentWaits } from './agent-waits.tsx';
import { type LiveRun, useAgentRun } from './use-agent-run.ts';
import '../../style/run.css';
import type { OperationResponse } from '../../api/api.ts';
import { usePages } from '../../api/queries.ts';
import type { FollowedAgentRun } from './agent-run.ts';

/** A run of an agent: what it did so far, the runs inside of it, what it waits for, how it ended. */
export function AgentRunView({ live, isWhole = false }: { live: LiveRun; isWhole?: boolean }) {
  const { agentId, run, refused, lost, look } = live;
  const subAgents = useSubAgents(agentId, run);
  const { others, error, hasNextPage, fetchNextPage } = subAgents;
  return (
    <div className="run-parts">
      <PartsView
        parts={run.parts}
        isWhole={isWhole}
        inside={({ id }) =>
          subAgents.of(id).map((inner) => <Inner key={inner.id} run={inner} agentId={agentId} />)
        }
      />
      {others.map((inner) => (
        <OtherSubAgent key={inner.id} run={inner} agentId={agentId} />
      ))}
      {hasNextPage && <Button onPress={() => fetchNextPage()}>{runViewTexts.showMoreSubAgents}</Button>}
      <AgentWaits live={live} />
      {[refused, error].map((each) => each && <FailureNotice key={each.message} error={each} />)}
      {lost && <FailureNotice error={lost} onRetry={look} />}
      {run.end && <RunEndView end={run.end} />}
    </div>
  );
}

interface InnerProps {
  run: SubAgentRun;
  /** The agent of the run around it: an agent that was given inline has no id, and is found by that. */
  agentId: string;
}

function Inner({ run: { id: executionId, agentId: innerAgentId, agentName, status }, agentId }: InnerProps) {
  const of = innerAgentId ?? agentId;
  const live = useAgentRun(of, { executionId, status });
  return (
    <section className="run-inner" aria-label={sharedTexts.runOf(agentName ?? runViewTexts.aSubAgent)}>
      <p>
        <bdi>{agentName ?? runViewTexts.subAgent}</bdi>{' '}
        <Link to={`/runs/agents/${of}/${executionId}`}>{runViewTexts.openThisRun}</Link>
      </p>
      <AgentRunView live={live} isWhole />
    </section>
  );
}

/** A run that no call in sight started: one of code that calls tools, or of an earlier release. */
function OtherSubAgent({ run, agentId }: InnerProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="run-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi>{run.agentName ?? runViewTexts.subAgent}</bdi> <StatusLabel of={run.status} />{' '}
        <span className="help">{run.totalCost !== null && dollars(run.totalCost)}</span>
      </summary>
      {isOpen && <Inner run={run} agentId={agentId} />}
    </details>
  );
}

type SubAgentRun = OperationResponse<'agent-executions.list'>['data'][number];

/** The runs inside of a run: those of its tool calls, and the others. */
function useSubAgents(agentId: string, { executionId = '', parts, end }: FollowedAgentRun) {
  const calls = parts.filter((part) => part.kind === 'tool');
  const agentCalls = calls.filter(({ type }) => type === 'subagent');
  const over = agentCalls.filter(({ durationMs }) => durationMs !== undefined).length;
  const isBusy = !end && over < agentCalls.length;
  const request = { params: { id: agentId }, query: { parentExecutionId: executionId } };
  const options = { enabled: calls.length > 0, everyMs: isBusy && 2_000, limit: 100 };
  const pages = usePages('agent-executions.list', request, options);
  const { rows, refetch } = pages;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a short call begins and ends between two requests
  useEffect(() => {
    if (rows) refetch();
  }, [over, refetch]);
  const ids = new Set(calls.map(({ id }) => id));
  const ofCalls = Map.groupBy(rows ?? [], ({ parentToolCallId: id }) => (id && ids.has(id) ? id : ''));
  return { ...pages, of: (callId: string) => ofCalls.get(callId) ?? [], others: ofCalls.get('') ?? [] };
}
