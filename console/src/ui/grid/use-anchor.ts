import { useLayoutEffect, useRef } from 'react';

interface Anchored<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Where the first row begins in the page. */
  top: number;
  rowHeight: number;
}

/** The first row in view stays in its place when rows above it come and go. */
export function useAnchor<Row>({ rows, keyOf, top, rowHeight }: Anchored<Row>): void {
  const known = useRef(rows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other rows can move the one in view
  useLayoutEffect(() => {
    const before = known.current;
    known.current = rows;
    const index = Math.floor((window.scrollY - top) / rowHeight);
    const anchor = before[index];
    if (before === rows || !anchor) return;
    const place = rows.findIndex((row) => keyOf(row) === keyOf(anchor));
    if (place >= 0 && place !== index) window.scrollBy(0, (place - index) * rowHeight);
  }, [rows]);
}
