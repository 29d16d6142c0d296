import type { OperationResponse } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { Prompts } from '../../run/agents/agent-prompts.tsx';
import { AgentRunView } from '../../run/agents/agent-run-view.tsx';
import { AgentRunTurns } from '../../run/agents/agent-turns.tsx';
import { useAgentRun } from '../../run/agents/use-agent-run.ts';
import { howOftenMs } from '../../run/how-often.ts';
import { Warnings } from '../../run/warnings.tsx';
import { runTexts } from '../../texts/runs.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import '../../style/run.css';
import type { ReactNode } from 'react';
import { countText } from '../../texts/language.ts';
import { Link } from '../../ui/link.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { dollars, durationText } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

type Execution = OperationResponse<'agent-executions.get'>;

const isOpen = ({ status }: Pick<Execution, 'status'>) => status === 'running' || status === 'paused';

/** One run of an agent: what it was asked, what it did, what it took. Live while it runs. */
export function OneAgentRun() {
  const [id, executionId] = [useParam('agentId'), useParam('executionId')];
  const params = { id, executionId };
  const execution = useCall(
    'agent-executions.get',
    { params },
    { everyMs: (fetchedExecution) => (fetchedExecution && howOftenMs[fetchedExecution.status]) ?? false },
  );
  const cancel = useAction('agent-runs.cancel', { changes: ['agents'] });
  const name = execution.data?.agentName ?? runTexts.agent;
  return (
    <ScreenPage
      title={sharedTexts.runOf(name)}
      above={[
        { to: `/agents/${id}`, label: name },
        { to: `/agents/${id}/runs`, label: sharedTexts.runs },
      ]}
      id={<ShownId id={executionId} label={sharedTexts.copyRunId} />}
      actions={
        execution.data &&
        isOpen(execution.data) && (
          <ConfirmButton
            title={runTexts.cancelThisRun}
            question={runTexts.subAgentsAreCancelledToo}
            confirm={runTexts.cancelRun}
            action={() => cancel.mutateAsync({ params })}
          >
            {runTexts.cancelRun}
          </ConfirmButton>
        )
      }
    >
      <Loaded of={execution}>
        {(fetchedExecution) => (
          <div className="stack">
            <AgentRunFacts execution={fetchedExecution} agentId={id} />
            <Warnings of={fetchedExecution.warnings} />
            <Prompts execution={fetchedExecution} agentId={id} />
            <Timeline key={executionId} execution={fetchedExecution} agentId={id} />
          </div>
        )}
      </Loaded>
    </ScreenPage>
  );
}

function Timeline({ execution, agentId }: { execution: Execution; agentId: string }) {
  const { id: executionId, status, iterationDetails } = execution;
  const live = useAgentRun(agentId, { executionId, status });
  return (
    <section className="card" aria-labelledby="time-line">
      <h2 id="time-line">{sharedTexts.timeline}</h2>
      <AgentRunTurns turns={iterationDetails} />
      <AgentRunView live={live} isWhole />
    </section>
  );
}

/** How a run stands, in a few words. */
function AgentRunFacts({ execution, agentId }: { execution: Execution; agentId: string }) {
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
    facts.push([
      runTexts.startedBy,
      <Parent key="parent" agentId={agentId} parentExecutionId={parentExecutionId} />,
    ]);
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
