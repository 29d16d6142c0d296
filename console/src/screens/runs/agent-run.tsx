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
import { AgentRunFacts } from './agent-run-facts.tsx';
import '../../style/run.css';

type Execution = OperationResponse<'agent-executions.get'>;

const isOpen = ({ status }: Pick<Execution, 'status'>) => status === 'running' || status === 'paused';

/** One run of an agent: what it was asked, what it did, what it took. Live while it runs. */
export function OneAgentRun() {
  const [id, executionId] = [useParam('agentId'), useParam('executionId')];
  const params = { id, executionId };
  const execution = useCall(
    'agent-executions.get',
    { params },
    { everyMs: (known) => (known && howOftenMs[known.status]) ?? false },
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
        {(known) => (
          <div className="stack">
            <AgentRunFacts execution={known} agentId={id} />
            <Warnings of={known.warnings} />
            <Prompts execution={known} agentId={id} />
            <Timeline key={executionId} execution={known} agentId={id} />
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
