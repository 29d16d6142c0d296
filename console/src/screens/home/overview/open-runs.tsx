import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../api/api.ts';
import { useCall } from '../../../api/queries.ts';
import { Link } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { Status } from '../../../ui/status.tsx';
import { type Column, Table } from '../../../ui/tables/table.tsx';
import { count } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';

type Runs = AnswerOf<'GET /v1/runs'>;
type Run = Runs['data'][number];

const shownMost = 6;
const idleMs = 10_000;
const busyMs = 2_000;

/** While something runs, the list changes. What waits may wait for days. */
const everyMs = (runs: Runs | undefined) =>
  runs?.data.some(({ status }) => status !== 'paused') ? busyMs : idleMs;

/** What runs right now. */
export const Running = () => (
  <OpenRuns
    id="running"
    title="Running"
    status="running,scheduled"
    none="Nothing is running"
    columns={[
      { title: 'Status', cell: ({ status, counts }) => <Progress status={status} counts={counts} /> },
      { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} />, isExtra: true },
    ]}
  />
);

/** What does not go on before somebody answers, or before a time. */
export const Waiting = () => (
  <OpenRuns
    id="waiting"
    title="Waiting for input"
    status="paused"
    none="Nothing is waiting"
    columns={[
      { title: 'Waits for', cell: ({ kind }) => waitsFor[kind] ?? 'a time or an approval' },
      { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} />, isExtra: true },
    ]}
  />
);

const waitsFor: Partial<Record<Run['kind'], string>> = { agent: 'an approval or a tool' };

interface Props {
  id: string;
  title: string;
  status: string;
  none: string;
  columns: readonly Column<Run>[];
}

function OpenRuns({ id, title, status, none, columns }: Props) {
  const runs = useCall('GET /v1/runs', { query: { status, limit: shownMost } }, { everyMs });
  return (
    <section className="card" aria-labelledby={id}>
      <div className="home-head">
        <h2 id={id}>{title}</h2>
        {runs.data && runs.data.data.length > 0 && <Link to={`/runs?status=${status}`}>Show all</Link>}
      </div>
      <Loaded of={runs}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="help home-none">{none}</p>
          ) : (
            <Table
              label={title}
              rows={data}
              keyOf={({ id: run }) => run}
              copyId="Copy run ID"
              columns={[{ title: 'Run', cell: (run) => <RunLink {...run} /> }, ...columns]}
            />
          )
        }
      </Loaded>
    </section>
  );
}

const RunLink = ({ id, name }: Run): ReactNode => (
  <Link to={`/runs/${id}`}>
    <bdi>{name}</bdi>
  </Link>
);

const Progress = ({ status, counts }: Pick<Run, 'status' | 'counts'>) => (
  <>
    <Status of={status} />
    {counts && (
      <span className="help">
        {' '}
        {count(counts.completed + counts.failed + counts.cancelled)} of {count(counts.total)}
      </span>
    )}
  </>
);
