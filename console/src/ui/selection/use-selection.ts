import { useRef, useState } from 'react';

export interface RowSelection<Row> {
  ids: ReadonlySet<string>;
  /** The selected rows, in their order. */
  rows: readonly Row[];
  /** How many rows can be selected. */
  loaded: number;
  nameOf: (row: Row) => string;
  /** @param isRange Whether all rows from the one that was toggled before are selected with it. */
  toggle: (id: string, isRange?: boolean) => void;
  /** Selects rows besides those that are. */
  add: (ids: readonly string[]) => void;
  selectAll: () => void;
  deselect: () => void;
}

const none: ReadonlySet<string> = new Set();

/** The selected ones of the rows that a list shows. One that is not shown any more is not selected any more. */
export function useSelection<Row extends { id: string }>(
  rows: readonly Row[] | undefined,
  nameOf: (row: Row) => string,
): RowSelection<Row> {
  const [chosen, setChosen] = useState(none);
  const last = useRef<string>(undefined);
  const all = rows?.map(({ id }) => id) ?? [];
  const ids = chosen.size > 0 ? chosen.intersection(new Set(all)) : none;
  // Until the rows have come, nobody knows which of them stay.
  if (rows && ids.size < chosen.size) setChosen(ids);
  return {
    ids,
    rows: ids.size > 0 ? (rows ?? []).filter(({ id }) => ids.has(id)) : [],
    loaded: all.length,
    nameOf,
    toggle(id, isRange = false) {
      const from = isRange && last.current !== undefined ? all.indexOf(last.current) : -1;
      const to = all.indexOf(id);
      last.current = id;
      const between = all.slice(Math.min(from, to), Math.max(from, to) + 1);
      setChosen(from < 0 ? ids.symmetricDifference(new Set([id])) : ids.union(new Set(between)));
    },
    add: (more) => setChosen(ids.union(new Set(more))),
    selectAll: () => setChosen(new Set(all)),
    deselect: () => setChosen(none),
  };
}
