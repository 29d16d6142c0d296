import { useState } from 'react';

export type Selection = ReturnType<typeof useSelection>;

const none: ReadonlySet<string> = new Set();

/** The selected ones of the rows that a table shows. One that is not shown any more is not selected any more. */
export function useSelection(rows: readonly { id: string }[] | undefined) {
  const [chosen, setChosen] = useState(none);
  const selected = chosen.size > 0 ? chosen.intersection(new Set(rows?.map(({ id }) => id))) : none;
  // Until the rows have come, nobody knows which of them stay.
  if (rows && selected.size < chosen.size) setChosen(selected);
  return {
    selected,
    toggle: (id: string) => setChosen(selected.symmetricDifference(new Set([id]))),
    selectAll: () => setChosen(new Set(rows?.map(({ id }) => id))),
    deselect: () => setChosen(none),
  };
}
