import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';
import { Cells, Head, type Rows } from './table-rows.tsx';
import { useElementTop } from './use-top-of.ts';

const rowHeight = 36;

interface VirtualProps<Row> extends Rows<Row> {
  rows: readonly Row[];
  /** Called when the last rows come into view. */
  onEnd?: (() => unknown) | undefined;
}

/** Only the rows in view are in the page. */
export function VirtualTable<Row>({ label, rows, onEnd, ...cells }: VirtualProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const top = useElementTop(body);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 15,
    scrollMargin: top,
    getItemKey: (index) => cells.keyOf(rows[index] as Row),
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
        <Head {...cells} />
        <tbody ref={body}>
          <Spacer height={before} />
          {shown.map(({ index, key }) => (
            <tr key={String(key)} data-index={index} aria-rowindex={index + 2} ref={virtual.measureElement}>
              <Cells {...cells} row={rows[index] as Row} />
            </tr>
          ))}
          <Spacer height={after} />
        </tbody>
      </table>
    </div>
  );
}

/** Takes the place of the rows that are not in the page. One cell: a phone does not show every column. */
const Spacer = ({ height }: { height: number }) =>
  height > 0 && (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
    <tr aria-hidden="true">
      <td className="spacer" style={{ height }} />
    </tr>
  );
