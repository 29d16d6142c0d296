import { useNavigate } from '@tanstack/react-router';
import { runListTexts } from '../../../texts/run-list.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Grid, type GridColumn } from '../../../ui/grid/grid.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Empty, Loading } from '../../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../../ui/page.tsx';
import { SelectionBar } from '../../../ui/selection/selection-bar.tsx';
import { type RowSelection, useSelection } from '../../../ui/selection/use-selection.ts';
import { useChosenColumns } from '../../../ui/tables/chosen-columns.tsx';
import { ShowMore } from '../../../ui/tables/show-more.tsx';
import { runColumns } from '../content/run-columns.tsx';
import { runPath } from '../data/run-path.ts';
import { type ListedRun, useRuns } from '../data/use-runs.ts';
import { useListAddress } from './address.ts';
import { CancelRuns } from './cancel-runs.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RunPreview } from './preview.tsx';
import '../../../style/runs.css';

/** Where there is no place beside the list, a row opens its page. */
const isNarrow = () => window.matchMedia('(width < 900px)').matches;

/** Its status and its name. */
const alwaysShown = 2;

/** Everything that ran, newest first. */
export function Runs() {
  const { filters, problems, preview, setFilter, clear, setPreview } = useListAddress();
  const navigate = useNavigate();
  const isReadable = problems.length === 0;
  const runs = useRuns(filters, { enabled: isReadable });
  const selection = useSelection(runs.rows, ({ name }) => name);
  const { columns, menu } = useChosenColumns(sharedTexts.runs, runColumns, alwaysShown);
  const open = ({ id }: ListedRun) => navigate({ to: runPath(id) });
  const show = (run: ListedRun | undefined) => (run && isNarrow() ? open(run) : setPreview(run?.id));
  return (
    <ScreenPage title={sharedTexts.runs}>
      <div className="runs-tools">
        <FilterBar filters={filters} onChange={setFilter} onClear={clear} />
        {menu}
      </div>
      <SelectionBar selection={selection}>
        <CancelRuns selection={selection} />
      </SelectionBar>
      {isReadable ? (
        <div className={preview ? 'runs-split' : undefined}>
          <div>
            <List
              runs={runs}
              isFiltered={Object.keys(filters).length > 0}
              {...{ columns, selection, preview, show, open, clear }}
            />
          </div>
          {preview && (
            <RunPreview
              id={preview}
              row={runs.rows?.find(({ id }) => id === preview)}
              onClose={() => setPreview(undefined)}
            />
          )}
        </div>
      ) : (
        <Unreadable problems={problems} onClear={clear} />
      )}
    </ScreenPage>
  );
}

interface ListProps {
  runs: ReturnType<typeof useRuns>;
  columns: readonly GridColumn<ListedRun>[];
  selection: RowSelection<ListedRun>;
  preview: string | undefined;
  isFiltered: boolean;
  show: (run: ListedRun | undefined) => unknown;
  open: (run: ListedRun) => unknown;
  clear: () => void;
}

function List({ runs, columns, selection, preview, isFiltered, show, open, clear }: ListProps) {
  const { rows, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = runs;
  if (!rows) return error ? <FailureNotice error={error} onRetry={() => refetch()} /> : <Loading />;
  if (rows.length === 0 && !hasNextPage) return isFiltered ? <NoMatch onClear={clear} /> : <NoRuns />;
  return (
    <>
      {error && <FailureNotice error={error} onRetry={() => refetch()} />}
      <Grid
        label={sharedTexts.runs}
        columns={columns}
        keyOf={({ id }) => id}
        rows={rows}
        selection={selection}
        previewed={preview}
        onPreview={show}
        onOpen={open}
        onEnd={hasNextPage && !isFetchingNextPage && !error ? fetchNextPage : undefined}
      />
      <ShowMore pages={runs} />
    </>
  );
}

const NoMatch = ({ onClear }: { onClear: () => void }) => (
  <Empty title={runListTexts.noRunsMatch}>
    <Button onPress={onClear}>{runListTexts.clearFilters}</Button>
  </Empty>
);

const NoRuns = () => (
  <Empty title={sharedTexts.noRunsYet}>
    <p>
      {runListTexts.aboutRuns(
        (text) => (
          <Link to="/flows">{text}</Link>
        ),
        (text) => (
          <Link to="/agents">{text}</Link>
        ),
      )}
    </p>
  </Empty>
);

const Unreadable = ({ problems, onClear }: { problems: readonly string[]; onClear: () => void }) => (
  <div role="alert" className="failure">
    <strong>{runListTexts.filtersNotReadable}</strong>
    {problems.map((problem) => (
      <p key={problem}>{problem}</p>
    ))}
    <Button onPress={onClear}>{runListTexts.clearFilters}</Button>
  </div>
);
