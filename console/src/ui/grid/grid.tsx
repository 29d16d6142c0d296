import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import type { RowSelection } from '../selection/use-selection.ts';
import { useElementTop } from '../tables/use-top-of.ts';
import { onGridKey } from './grid-keys.ts';
import { type GridColumn, GridHead, GridRow } from './grid-rows.tsx';
import '../../style/grid.css';

export type { GridColumn } from './grid-rows.tsx';

const rowHeight = 36;

export interface GridProps<Row> {
  /** The name of the list for screen readers. */
  label: string;
  columns: readonly GridColumn<Row>[];
  keyOf: (row: Row) => string;
  rows: readonly Row[];
  /** Which rows are selected, where one can do something with many. */
  selection?: RowSelection<Row>;
  /** The row that is shown beside the list. */
  previewed: string | undefined;
  /** Shows a row beside the list, or none. */
  onPreview: (row: Row | undefined) => void;
  /** Goes to the page of a row. */
  onOpen: (row: Row) => void;
  /** Called when the last rows come into view. */
  onEnd?: (() => unknown) | undefined;
}

/**
 * A dense list of any length, of which the page holds the rows in view. One stop of the Tab key: the arrows move in it,
 * Enter and Space show a row beside it, and Enter again opens it. Shift and Space selects.
 */
export function Grid<Row>(props: GridProps<Row>) {
  const { label, columns, keyOf, rows, selection, previewed, onEnd } = props;
  const id = useId();
  const body = useRef<HTMLTableSectionElement>(null);
  const top = useElementTop(body);
  const [active, setActive] = useState<string>();
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 15,
    scrollMargin: top,
    scrollPaddingEnd: rowHeight,
    getItemKey: (index) => keyOf(rows[index] as Row),
  });
  useAnchor({ rows, keyOf, top, rowHeight });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1);
  useEnd(last !== undefined && last.index >= rows.length - 10, onEnd);
  const current = previewed ?? active;
  const place = current === undefined ? -1 : rows.findIndex((row) => keyOf(row) === current);
  const go = (index: number) => {
    setActive(keyOf(rows[index] as Row));
    virtual.scrollToIndex(index);
  };
  const isShown = shown.some(({ index }) => index === place);
  return (
    <div className="grid-box">
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose rows can be chosen
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={selection && true}
        // D96
        aria-activedescendant={isShown ? `${id}-${place}` : undefined}
        onKeyDown={(event) => onGridKey(event, props, { place, go })}
        onFocus={({ target, currentTarget }) => {
          if (target === currentTarget && place < 0 && rows[0])
            setActive(keyOf(rows[shown[0]?.index ?? 0] as Row));
        }}
      >
        <GridHead columns={columns} selection={selection} />
        <tbody ref={body}>
          <Spacer height={(shown[0]?.start ?? top) - top} />
          {shown.map(({ index, key }) => (
            <GridRow
              key={String(key)}
              id={`${id}-${index}`}
              rowKey={String(key)}
              index={index}
              columns={columns}
              row={rows[index] as Row}
              selection={selection}
              isActive={index === place}
              isPreviewed={String(key) === previewed}
              onPress={() => {
                setActive(String(key));
                props.onPreview(rows[index] as Row);
              }}
            />
          ))}
          <Spacer height={Math.max(0, virtual.getTotalSize() - ((last?.end ?? top) - top))} />
        </tbody>
      </table>
    </div>
  );
}

/** Only one who scrolls wants more. */
function useEnd(isNear: boolean, onEnd: (() => unknown) | undefined): void {
  useLayoutEffect(() => {
    if (isNear && onEnd && window.scrollY > 0) onEnd();
  }, [isNear, onEnd]);
}

const Spacer = ({ height }: { height: number }) =>
  height > 0 && (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
    <tr aria-hidden="true" className="grid-spacer">
      <td style={{ height }} />
    </tr>
  );

interface Anchored<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Where the first row begins in the page. */
  top: number;
  rowHeight: number;
}

/** The first row in view stays in its place when rows above it come and go. */
function useAnchor<Row>({ rows, keyOf, top, rowHeight }: Anchored<Row>): void {
  const latest = useRef(rows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other rows can move the one in view
  useLayoutEffect(() => {
    const before = latest.current;
    latest.current = rows;
    const index = Math.floor((window.scrollY - top) / rowHeight);
    const anchor = before[index];
    if (before === rows || !anchor) return;
    const place = rows.findIndex((row) => keyOf(row) === keyOf(anchor));
    if (place >= 0 && place !== index) window.scrollBy(0, (place - index) * rowHeight);
  }, [rows]);
}
