import { useNavigate, useSearch } from '@tanstack/react-router';
import { exportTexts } from '../../../texts/exports.ts';
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
import { ExportButton } from '../../records/exports/export-button.tsx';
import { runColumns } from '../content/run-columns.tsx';
import { runPath } from '../data/run-path.ts';
import { isUnfinished, type ListedRun, useRuns } from '../data/use-runs.ts';
import { FilterBar } from './filter-bar.tsx';
import { RunPreview } from './preview.tsx';
import '../../../style/runs.css';
import { useApi } from '../../../api/api.ts';
import { actOnEach } from '../../../ui/selection/act-on-all.ts';
import { BulkButton } from '../../../ui/selection/bulk-button.tsx';
import {
  type AddressFilters,
  type FilterName,
  filterField,
  filterNames,
  parseAddressFilters,
  type RunFilters,
  runsQuery,
} from '../data/filters.ts';

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
    <ScreenPage title={sharedTexts.runs} actions={isReadable && <ExportRuns filters={filters} />}>
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
              columns={columns}
              selection={selection}
              preview={preview}
              show={show}
              open={open}
              clear={clear}
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

/** What an export of runs is narrowed by. */
const exported: readonly FilterName[] = ['flowId', 'agentId', 'status', 'started', 'from', 'to'];

function ExportRuns({ filters }: { filters: RunFilters }) {
  const others = filterNames.filter((name) => filters[name] !== undefined && !exported.includes(name));
  const { flowId, agentId, status, from, to } = runsQuery(filters, Date.now());
  return (
    <ExportButton
      title={exportTexts.exportRuns}
      about={
        <>
          <p>{exportTexts.runsAsFiltered}</p>
          {others.length > 0 && (
            <p className="note">{exportTexts.notNarrowedBy(others.map((name) => filterField(name).label))}</p>
          )}
        </>
      }
      subject="runs"
      filter={{
        ...(flowId && { flowId }),
        ...(agentId && { agentId }),
        ...(status && { status }),
        ...(from && { from }),
        ...(to && { to }),
      }}
    />
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

interface ListAddress extends AddressFilters {
  /** The id of the run beside the list. */
  preview: string | undefined;
  /** Sets a filter, or removes it. The back button undoes it. */
  setFilter: (name: FilterName, value: string | undefined) => void;
  clear: () => void;
  setPreview: (id: string | undefined) => void;
}

/** What the address of the list holds, so that a link shows the same. */
function useListAddress(): ListAddress {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const read = parseAddressFilters(search);
  const preview = typeof search.preview === 'string' ? search.preview : undefined;
  const go = (filters: RunFilters, shown: string | undefined, replace: boolean) => {
    const { preview: _, ...rest } = { preview: undefined, ...filters };
    navigate({
      to: '.',
      search: { ...rest, ...(shown && { preview: shown }) },
      replace,
      resetScroll: false,
    } as never);
  };
  return {
    ...read,
    preview,
    setFilter(name, value) {
      const { [name]: _, ...rest } = read.filters;
      go(value === undefined ? rest : { ...read.filters, [name]: value }, undefined, false);
    },
    clear: () => go({}, undefined, false),
    setPreview: (id) => go(read.filters, id, true),
  };
}

/** Cancels the selected runs that are open. */
function CancelRuns({ selection }: { selection: RowSelection<ListedRun> }) {
  const api = useApi();
  const { rows } = selection;
  const open = rows.filter(isUnfinished);
  return (
    <BulkButton
      selection={selection}
      rows={open}
      titleOf={runListTexts.cancelQuestion}
      question={
        <>
          {open.length < rows.length && <p>{runListTexts.canBeCancelled(open.length, rows.length)}</p>}
          <p>{runListTexts.runsStop}</p>
        </>
      }
      progressOf={runListTexts.cancelledOf}
      act={actOnEach(({ id }) => api.runs.cancel({ params: { id } }))}
      changes={['runs', 'batch', 'agents']}
      successOf={runListTexts.runsCancelled}
    >
      {runListTexts.cancelRuns}
    </BulkButton>
  );
}
