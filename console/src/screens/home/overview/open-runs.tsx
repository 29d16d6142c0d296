import type { ReactNode } from 'react';
import type { AnswerOf } from '../../../api/api.ts';
import { useCall } from '../../../api/queries.ts';
import { homeTexts } from '../../../texts/home.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Link } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { Status } from '../../../ui/status.tsx';
import { type Column, Table } from '../../../ui/tables/table.tsx';
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
    title={homeTexts.running}
    status="running,scheduled"
    none={homeTexts.nothingIsRunning}
    columns={[
      {
        title: sharedTexts.status,
        cell: ({ status, counts }) => <Progress status={status} counts={counts} />,
      },
      { title: sharedTexts.started, cell: ({ startedAt }) => <Time at={startedAt} />, isExtra: true },
    ]}
  />
);

/** What does not go on before somebody answers, or before a time. */
export const Waiting = () => (
  <OpenRuns
    id="waiting"
    title={sharedTexts.waitingForInput}
    status="paused"
    none={homeTexts.nothingIsWaiting}
    columns={[
      { title: homeTexts.waitsFor, cell: ({ kind }) => waitsFor[kind] ?? homeTexts.timeOrApproval },
      { title: sharedTexts.started, cell: ({ startedAt }) => <Time at={startedAt} />, isExtra: true },
    ]}
  />
);

const waitsFor: Partial<Record<Run['kind'], string>> = { agent: homeTexts.approvalOrTool };

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
        {runs.data && runs.data.data.length > 0 && (
          <Link to={`/runs?status=${status}`}>{sharedTexts.showAll}</Link>
        )}
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
              copyId={sharedTexts.copyRunId}
              columns={[{ title: sharedTexts.oneRun, cell: (run) => <RunLink {...run} /> }, ...columns]}
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
        {homeTexts.doneOf(counts.completed + counts.failed + counts.cancelled, counts.total)}
      </span>
    )}
  </>
);
