import { useNavigate } from '@tanstack/react-router';
import { Grid } from '../../../ui/grid/grid.tsx';
import { Link } from '../../../ui/link.tsx';
import { Failure } from '../../../ui/loading/failure.tsx';
import { runColumns } from '../list/run-columns.tsx';
import { type Run, useRuns } from '../list/use-runs.ts';
import { runPath, runsPath } from '../run-path.ts';

/** The runs that this one started: sub-agents, and flows as tools. Tools and most runs have none. */
export function RunsInside({ run: { id, kind } }: { run: Run }) {
  const navigate = useNavigate();
  const { rows, error, hasNextPage } = useRuns({ parentRunId: id }, { enabled: kind !== 'tool', limit: 20 });
  if (error) return <Failure error={error} />;
  if (!rows || rows.length === 0) return null;
  const open = (run: Run | undefined) => run && navigate({ to: runPath(run.id) });
  return (
    <section aria-labelledby="nested">
      <h2 id="nested">Nested runs</h2>
      <Grid
        label="Nested runs"
        columns={runColumns}
        keyOf={(run) => run.id}
        rows={rows}
        previewed={undefined}
        onPreview={open}
        onOpen={open}
      />
      {hasNextPage && (
        <p className="more">
          <Link to={runsPath({ parentRunId: id })}>Show all in the list</Link>
        </p>
      )}
    </section>
  );
}
