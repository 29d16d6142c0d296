import { usePages } from '../../../api/queries.ts';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { Status } from '../../../ui/status.tsx';
import { PagedTable } from '../../../ui/tables/paged-table.tsx';
import { count } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';

/** The runs of a tool by itself, newest first. */
export const ToolRuns = ({ id }: { id: string }) => (
  <section aria-labelledby="runs">
    <h2 id="runs">Direct runs</h2>
    <PagedTable
      label="Direct runs"
      pages={usePages('GET /v1/tools/{id}/executions', { params: { id } })}
      keyOf={(run) => run.id}
      copyId="Copy run ID"
      empty={
        <Empty title="No runs in the last 30 days">
          <p>Calls by flows and agents are part of their runs.</p>
        </Empty>
      }
      columns={[
        { title: 'When', cell: ({ startedAt }) => <Time at={startedAt} /> },
        { title: 'Status', cell: ({ status }) => <Status of={status} /> },
        {
          title: 'Time in ms',
          cell: ({ executionTimeMs }) => count(executionTimeMs),
          isNumber: true,
          isExtra: true,
        },
        { title: 'Error', cell: ({ error }) => <bdi>{error}</bdi>, isExtra: true },
      ]}
    />
  </section>
);
