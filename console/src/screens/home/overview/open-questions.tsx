import { type OpenRunRow, useOpenRuns } from '../../../api/open-runs.ts';
import { useCall } from '../../../api/queries.ts';
import { FlowWaits } from '../../../run/flow-waits.tsx';
import { homeTexts } from '../../../texts/home.ts';
import { Link } from '../../../ui/link.tsx';

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
export function OpenQuestions() {
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
      <FlowWaits waits={questions.slice(0, questionsMax)} />
      {questions.length > questionsMax && (
        <Link to={`/runs/${id}`}>{homeTexts.allQuestions(questions.length)}</Link>
      )}
    </>
  );
}
