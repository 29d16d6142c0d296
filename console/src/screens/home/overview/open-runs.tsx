import { lazy, type ReactNode, Suspense } from 'react';
import {
  type OpenKind,
  type OpenRunRow,
  openRunsPath,
  useOpenRuns,
  useOpenRunsOfKind,
} from '../../../api/open-runs.ts';
import { useCall } from '../../../api/queries.ts';
import { homeTexts } from '../../../texts/home.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Link } from '../../../ui/link.tsx';
import { Loaded, Loading } from '../../../ui/loading/loaded.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import { Table, type TableColumn } from '../../../ui/tables/table.tsx';
import { Time } from '../../../ui/values/time.tsx';

const FlowWaits = lazy(async () => ({ default: (await import('../../../run/flow-waits.tsx')).FlowWaits }));

const shownMost = 6;
/** While something runs, the list changes. What waits may wait for days. */
const everyMs = { running: 2_000, waiting: 10_000, none: 10_000 };

/** What runs right now. */
export const RunningNow = () => (
  <OpenRuns
    kind="running"
    title={homeTexts.running}
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
    kind="waiting"
    title={sharedTexts.waitingForInput}
    none={homeTexts.nothingIsWaiting}
    columns={[
      { title: homeTexts.waitsFor, cell: ({ kind }) => waitsFor[kind] ?? homeTexts.timeOrApproval },
      { title: sharedTexts.started, cell: ({ startedAt }) => <Time at={startedAt} />, isExtra: true },
    ]}
  >
    <OpenQuestions />
  </OpenRuns>
);

const waitsFor: Partial<Record<OpenRunRow['kind'], string>> = { agent: homeTexts.approvalOrTool };

interface Props {
  kind: OpenKind;
  title: string;
  none: string;
  columns: readonly TableColumn<OpenRunRow>[];
  /** Below the list. */
  children?: ReactNode;
}

function OpenRuns({ kind, title, none, columns, children }: Props) {
  const runs = useOpenRunsOfKind(kind, shownMost, everyMs);
  return (
    <section className="card" aria-labelledby={kind}>
      <div className="home-head">
        <h2 id={kind}>{title}</h2>
        {runs.data && runs.data.length > 0 && (
          <Link to={kind === 'waiting' ? '/inbox' : openRunsPath(kind)}>
            {kind === 'waiting' ? sharedTexts.inbox : sharedTexts.showAll}
          </Link>
        )}
      </div>
      <Loaded of={runs}>
        {(data) =>
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
      {children}
    </section>
  );
}

const RunLink = ({ id, name }: OpenRunRow): ReactNode => (
  <Link to={`/runs/${id}`}>
    <bdi>{name}</bdi>
  </Link>
);

const Progress = ({ status, counts }: Pick<OpenRunRow, 'status' | 'counts'>) => (
  <>
    <StatusLabel of={status} />
    {counts && (
      <span className="help">
        {' '}
        {homeTexts.doneOf(counts.completed + counts.failed + counts.cancelled, counts.total)}
      </span>
    )}
  </>
);

/** So many runs are looked into. */
const askedMost = 5;
/** Of a run; its own page has all of them. */
const questionsMax = 3;
const checkedEveryMs = 10_000;
const seldom = { running: checkedEveryMs, waiting: checkedEveryMs, none: checkedEveryMs };

/** Flows that stand still, then batches, of which some records may. */
const rank = ({ kind, status }: OpenRunRow) =>
  kind === 'flow' && status === 'paused' ? 0 : kind === 'batch' && status !== 'scheduled' ? 1 : 2;

/** What runs of flows ask, to be answered here. If none is open that may ask something, nothing is requested. */
function OpenQuestions() {
  const { data } = useOpenRuns({ everyMs: seldom });
  const runs = (data?.data ?? []).filter((run) => rank(run) < 2);
  return runs
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, askedMost)
    .map((run) => <QuestionsOf key={run.id} run={run} />);
}

function QuestionsOf({ run: { id, name } }: { run: OpenRunRow }) {
  const run = useCall('runs.get', { params: { id } }, { everyMs: checkedEveryMs });
  const questions = run.data?.waits.filter(({ kind }) => kind === 'approval') ?? [];
  if (questions.length === 0) return null;
  return (
    <>
      <h3 className="home-questions">
        <Link to={`/runs/${id}`}>
          <bdi>{name}</bdi>
        </Link>
      </h3>
      <Suspense fallback={<Loading />}>
        <FlowWaits waits={questions.slice(0, questionsMax)} />
      </Suspense>
      {questions.length > questionsMax && (
        <Link to={`/runs/${id}`}>{homeTexts.allQuestions(questions.length)}</Link>
      )}
    </>
  );
}
