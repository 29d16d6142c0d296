import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';
import { Loading } from './loaded.tsx';

export interface Column<Row> {
  title: string;
  /** Where two columns may have the same title. */
  id?: string;
  cell: (row: Row) => ReactNode;
  /** Hidden on phones. */
  isExtra?: boolean;
  isNumber?: boolean;
  /** `wide` has place for some buttons in a line. Default: as wide as the others of its kind. */
  width?: 'narrow' | 'wide';
}

interface Rows<Row> {
  /** The name of the table for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}

/** A short list: every row is in the page. */
export const Table = <Row,>({ label, columns, keyOf, rows }: Rows<Row> & { rows: readonly Row[] }) => (
  <div className="table-box">
    <table aria-label={label}>
      <Head columns={columns} />
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <Cells columns={columns} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

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
}

const rowHeight = 45;

/** A list of any length: the page holds the rows in view only, and loads the next ones when one scrolls to them. */
export function PagedTable<Row>({ label, columns, keyOf, pages, empty }: Paged<Row>) {
  const { rows, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages;
  if (!rows) return error ? <Failure error={error} onRetry={() => refetch()} /> : <Loading />;
  if (rows.length === 0 && !hasNextPage) return empty;
  return (
    <>
      <VirtualTable
        {...{ label, columns, keyOf, rows }}
        onEnd={hasNextPage && !isFetchingNextPage && !error ? fetchNextPage : undefined}
      />
      {error && <Failure error={error} onRetry={() => fetchNextPage()} />}
      {hasNextPage && !error && (
        <p className="more">
          <Button onPress={() => fetchNextPage()} isPending={isFetchingNextPage}>
            {isFetchingNextPage ? 'Loading …' : 'Show more'}
          </Button>
        </p>
      )}
    </>
  );
}

interface VirtualProps<Row> extends Rows<Row> {
  rows: readonly Row[];
  /** Called when the last rows come into view. */
  onEnd?: (() => unknown) | undefined;
}

export function VirtualTable<Row>({ label, columns, keyOf, rows, onEnd }: VirtualProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    setTop((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 15,
    scrollMargin: top,
    getItemKey: (index) => keyOf(rows[index] as Row),
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1);
  const isNearEnd = last !== undefined && last.index >= rows.length - 10;
  useLayoutEffect(() => {
    // Only one who scrolls wants more.
    if (isNearEnd && onEnd && window.scrollY > 0) onEnd();
  }, [isNearEnd, onEnd]);
  const before = (shown[0]?.start ?? top) - top;
  const after = Math.max(0, virtual.getTotalSize() - ((last?.end ?? top) - top));
  return (
    <div className="table-box">
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <Head columns={columns} />
        <tbody ref={body}>
          <Spacer height={before} />
          {shown.map(({ index, key }) => (
            <tr key={String(key)} data-index={index} aria-rowindex={index + 2} ref={virtual.measureElement}>
              <Cells columns={columns} row={rows[index] as Row} />
            </tr>
          ))}
          <Spacer height={after} />
        </tbody>
      </table>
    </div>
  );
}

const Head = <Row,>({ columns }: Pick<Rows<Row>, 'columns'>) => (
  <thead>
    <tr>
      {columns.map((column) => (
        <th key={column.id ?? column.title} scope="col" className={classOf(column)}>
          {column.title}
        </th>
      ))}
    </tr>
  </thead>
);

const Cells = <Row,>({ columns, row }: Pick<Rows<Row>, 'columns'> & { row: Row }) =>
  columns.map((column) => (
    <td key={column.id ?? column.title} className={classOf(column)}>
      <div className="cell">{column.cell(row)}</div>
    </td>
  ));

const classOf = <Row,>({ isExtra, isNumber, width }: Column<Row>) =>
  [isExtra && 'extra', isNumber && 'number', width].filter(Boolean).join(' ') || undefined;

/** Takes the place of the rows that are not in the page. One cell: a phone does not show every column. */
const Spacer = ({ height }: { height: number }) =>
  height > 0 && (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
    <tr aria-hidden="true">
      <td className="spacer" style={{ height }} />
    </tr>
  );
