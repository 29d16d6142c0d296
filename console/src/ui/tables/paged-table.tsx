import type { ReactNode } from 'react';
import { FailureNotice } from '../loading/failure.tsx';
import { Loading } from '../loading/loaded.tsx';
import { useChosenColumns } from './chosen-columns.tsx';
import { ShowMore } from './show-more.tsx';
import type { Rows } from './table-rows.tsx';
import { VirtualTable } from './virtual-table.tsx';

export type { TableColumn } from './table-rows.tsx';

interface Paged<Row> extends Rows<Row> {
  /** As `usePages` returns them. */
  pages: {
    rows: readonly Row[] | undefined;
    error: Error | null;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
    refetch: () => unknown;
  };
  /** Shown in place of a table without rows. */
  empty: ReactNode;
  /** Above the table, also while it has no rows: what narrows it. */
  tools?: ReactNode;
  /** Whether its columns are chosen elsewhere. */
  hasChosenColumns?: boolean;
}

/** A list of any length: the page holds the rows in view only, and loads the next ones when one scrolls to them. */
export function PagedTable<Row>({ tools, hasChosenColumns, ...paged }: Paged<Row>) {
  const chosen = useChosenColumns(paged.label, paged.columns);
  const { columns, menu } = hasChosenColumns ? { columns: paged.columns, menu: undefined } : chosen;
  return (
    <>
      {(tools || menu) && (
        <div className="table-tools">
          {tools}
          <span className="table-columns">{menu}</span>
        </div>
      )}
      <PagedRows {...paged} columns={columns} />
    </>
  );
}

function PagedRows<Row>({ pages, empty, ...table }: Paged<Row>) {
  const { rows, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages;
  if (!rows) return error ? <FailureNotice error={error} onRetry={() => refetch()} /> : <Loading />;
  if (rows.length === 0 && !hasNextPage) return empty;
  return (
    <>
      <VirtualTable
        {...table}
        rows={rows}
        onEnd={hasNextPage && !isFetchingNextPage && !error ? fetchNextPage : undefined}
      />
      {error && <FailureNotice error={error} onRetry={() => fetchNextPage()} />}
      <ShowMore pages={pages} />
    </>
  );
}
