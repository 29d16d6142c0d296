import type { AnswerOf } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { Link } from '../../ui/link.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { count } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

type Batch = AnswerOf<'GET /v1/batch/summary'>['batches'][number];

/** While something runs, the numbers change. */
const everyMs = (summary: AnswerOf<'GET /v1/batch/summary'> | undefined) =>
  summary && summary.activeBatches > 0 ? 2_000 : 30_000;

/** The batches that run, and the last that failed in part. */
export function LastRuns() {
  const summary = useCall('GET /v1/batch/summary', {}, { everyMs });
  return (
    <>
      <section aria-labelledby="running">
        <h2 id="running">Running now</h2>
        <Loaded of={summary}>
          {({ batches }) =>
            batches.length > 0 ? (
              <Batches label="Running now" batches={batches} />
            ) : (
              <Empty title="Nothing runs">
                <p>
                  <Link to="/flows">Open a flow</Link> to run it on records.
                </p>
              </Empty>
            )
          }
        </Loaded>
      </section>
      <section aria-labelledby="failures">
        <h2 id="failures">Last failures</h2>
        <Loaded of={summary}>
          {({ recent }) => {
            const failed = recent.filter(({ failedRecords }) => failedRecords > 0).slice(0, 5);
            return failed.length > 0 ? (
              <Batches label="Last failures" batches={failed} />
            ) : (
              <Empty title="Nothing failed in the last runs" />
            );
          }}
        </Loaded>
      </section>
    </>
  );
}

const Batches = ({ label, batches }: { label: string; batches: readonly Batch[] }) => (
  <Table
    label={label}
    rows={batches}
    keyOf={({ id }) => id}
    columns={[
      {
        title: 'Flow',
        cell: (batch) => (
          <Link to={`/runs/batches/${batch.id}`}>
            <bdi>{batch.flowName}</bdi>
          </Link>
        ),
      },
      { title: 'Status', cell: ({ status }) => <Status of={status} /> },
      {
        title: 'Records',
        cell: ({ processedRecords, totalRecords }) => `${count(processedRecords)} of ${count(totalRecords)}`,
        isNumber: true,
        isExtra: true,
      },
      { title: 'Failed', cell: ({ failedRecords }) => count(failedRecords), isNumber: true },
      { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} />, isExtra: true },
    ]}
  />
);
