import { type ReactNode, useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useCall, usePages } from '../../api/queries.ts';
import { howOftenMs } from '../../run/how-often.ts';
import { agentTexts } from '../../texts/agents.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { valueText } from '../../texts/values.ts';
import { Choice } from '../../ui/forms/choice.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { PagedTable, type TableColumn } from '../../ui/tables/paged-table.tsx';
import { ListedCost } from '../../ui/values/listed-cost.tsx';
import { Time } from '../../ui/values/time.tsx';
import { AgentPage, useAgent } from './parts/agent-page.tsx';

const statuses = ['', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const;
const labels = { '': sharedTexts.all, paused: sharedTexts.waitingForInput } as Record<string, string>;

/** The executions of an agent, newest first. */
export function AgentRuns() {
  const { id } = useAgent();
  const [status, setStatus] = useState<(typeof statuses)[number]>('');
  const request = { params: { id }, query: status ? { status } : {} };
  const runs = usePages('agent-executions.list', request);
  return (
    <AgentPage>
      <Choice
        label={sharedTexts.status}
        value={status}
        options={statuses.map((value) => ({ value, label: labels[value] ?? valueText(value) }))}
        onChange={setStatus}
      />
      <PagedTable
        label={sharedTexts.runs}
        pages={runs}
        keyOf={(run) => run.id}
        copyId={sharedTexts.copyRunId}
        empty={
          <Empty title={status ? agentTexts.noRunHasThisStatus : agentTexts.noRunsOfAgent}>
            <p>
              <Link to={`/agents/${id}/chat`}>{agentTexts.tryInPlayground}</Link>
            </p>
          </Empty>
        }
        columns={columnsFor(id)}
      />
    </AgentPage>
  );
}

/** Part of a row, which keeps up with its run while the row is in view. */
function Newest({
  of,
  children,
}: {
  of: [string, NewestAgentRun];
  children: (run: NewestAgentRun) => ReactNode;
}) {
  return children(useNewestRun(...of));
}

const columnsFor = (id: string): TableColumn<NewestAgentRun>[] => [
  {
    title: sharedTexts.started,
    cell: (run) => (
      <Link to={`/runs/agents/${id}/${run.id}`}>
        <Time at={run.createdAt} />
      </Link>
    ),
  },
  {
    title: sharedTexts.status,
    cell: (run) => <Newest of={[id, run]}>{({ status }) => <StatusLabel of={status} />}</Newest>,
  },
  { title: sharedTexts.trigger, cell: ({ surfaceType }) => surfaceType, isExtra: true },
  {
    title: sharedTexts.turns,
    cell: (run) => <Newest of={[id, run]}>{({ iterations }) => iterations}</Newest>,
    isNumber: true,
    isExtra: true,
  },
  {
    title: sharedTexts.tokens,
    cell: (run) => <Newest of={[id, run]}>{({ totalTokens }) => totalTokens}</Newest>,
    isNumber: true,
    isExtra: true,
  },
  {
    title: sharedTexts.cost,
    cell: (run) => <Newest of={[id, run]}>{({ totalCost }) => <ListedCost of={totalCost} />}</Newest>,
    isNumber: true,
  },
];

type NewestAgentRun = OperationResponse<'agent-executions.list'>['data'][number];

/** A run as it is now. Asks for this one only, until it ends. */
function useNewestRun(agentId: string, run: NewestAgentRun): NewestAgentRun {
  const isOpen = run.status in howOftenMs;
  const { data: answer } = useCall(
    'agent-executions.list',
    { params: { id: agentId }, query: { executionId: run.id } },
    {
      enabled: isOpen,
      everyMs: (lastPage) => {
        const last = lastPage ? lastPage.data[0] : run;
        return (last && howOftenMs[last.status]) ?? false;
      },
    },
  );
  return (isOpen && answer?.data[0]) || run;
}
