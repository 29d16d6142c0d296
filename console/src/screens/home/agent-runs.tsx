import { useQueries } from '@tanstack/react-query';
import { type AnswerOf, useApi } from '../../api/api.ts';
import { callOptions, useCall } from '../../api/queries.ts';
import { nextAskMs } from '../../api/retries.ts';
import { Link } from '../../ui/link.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { dollars } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

type Agent = AnswerOf<'GET /v1/agents'>['data'][number];
type Run = AnswerOf<'GET /v1/agents/{id}/executions'>['data'][number];

const agentsAsked = 50;
const agentsShown = 5;
const runsShown = 8;
const everyMs = 30_000;

/** The last runs of the agents that ran last: the API lists the runs of one agent at a time. */
export function AgentRuns() {
  const agents = useCall('GET /v1/agents', { query: { limit: agentsAsked } }, { everyMs });
  return (
    <section aria-labelledby="agent-runs">
      <h2 id="agent-runs">Last runs of agents</h2>
      <Loaded of={agents}>
        {({ data, pagination }) => (
          <>
            <RunsOf agents={ranLast(data)} />
            {pagination.hasMore && <p className="help">Of the {agentsAsked} newest agents.</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

const ranLast = (agents: readonly Agent[]) =>
  agents
    .filter(({ lastRunAt }) => lastRunAt !== null)
    .sort((one, other) => (other.lastRunAt ?? '').localeCompare(one.lastRunAt ?? ''))
    .slice(0, agentsShown);

function RunsOf({ agents }: { agents: readonly Agent[] }) {
  const { call } = useApi();
  const of = useQueries({
    queries: agents.map(({ id }) => ({
      ...callOptions(call, 'GET /v1/agents/{id}/executions', {
        params: { id },
        query: { limit: runsShown },
      }),
      refetchInterval: ({ state: { error } }: { state: { error: Error | null } }) =>
        nextAskMs(everyMs, error),
    })),
    combine: (results) => ({
      data: results.every(({ isSuccess }) => isSuccess)
        ? results.flatMap(({ data }) => data?.data ?? [])
        : undefined,
      error: results.find(({ error }) => error)?.error ?? null,
      refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
    }),
  });
  return <Loaded of={of}>{(runs) => <Runs runs={newest(runs)} />}</Loaded>;
}

const newest = (runs: readonly Run[]) =>
  runs.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt)).slice(0, runsShown);

const Runs = ({ runs }: { runs: readonly Run[] }) =>
  runs.length === 0 ? (
    <Empty title="No agent has run">
      <p>
        <Link to="/agents">Open an agent</Link> to chat with it.
      </p>
    </Empty>
  ) : (
    <Table
      label="Last runs of agents"
      rows={runs}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Agent',
          cell: ({ agentId, agentName, id }) => (
            <Link to={`/runs/agents/${agentId}/${id}`}>
              <bdi>{agentName ?? agentId}</bdi>
            </Link>
          ),
        },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        {
          title: 'Cost',
          cell: ({ totalCost }) => (totalCost === null ? '' : dollars(totalCost)),
          isNumber: true,
          isExtra: true,
        },
        { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
      ]}
    />
  );
