import { useNavigate } from '@tanstack/react-router';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Grid } from '../../../ui/grid/grid.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { runColumns } from '../content/run-columns.tsx';
import { runPath, runsPath } from '../data/run-path.ts';
import { isUnfinished, type ListedRun, useRuns } from '../data/use-runs.ts';

/** The runs that this one started: sub-agents, and flows as tools. Tools and most runs have none. */
export function RunsInside({ run }: { run: ListedRun }) {
  const { id, kind } = run;
  const navigate = useNavigate();
  const { rows, error, hasNextPage } = useRuns(
    { parentRunId: id },
    { enabled: kind !== 'tool', isLive: isUnfinished(run), limit: 20 },
  );
  if (error) return <FailureNotice error={error} />;
  if (!rows || rows.length === 0) return null;
  const open = (inner: ListedRun | undefined) => inner && navigate({ to: runPath(inner.id) });
  return (
    <section aria-labelledby="nested">
      <h2 id="nested">{sharedTexts.nestedRuns}</h2>
      <Grid
        label={sharedTexts.nestedRuns}
        columns={runColumns}
        keyOf={(inner) => inner.id}
        rows={rows}
        previewed={undefined}
        onPreview={open}
        onOpen={open}
      />
      {hasNextPage && (
        <p className="more">
          <Link to={runsPath({ parentRunId: id })}>{runTexts.showAllInList}</Link>
        </p>
      )}
    </section>
  );
}
