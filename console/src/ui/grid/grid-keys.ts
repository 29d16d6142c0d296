import type { KeyboardEvent } from 'react';
import { copyText } from '../forms/use-copy.ts';
import { notify } from '../notices.tsx';
import type { GridProps } from './grid.tsx';

const steps: Record<string, (place: number, count: number) => number> = {
  ArrowDown: (place) => place + 1,
  ArrowUp: (place) => place - 1,
  PageDown: (place) => place + 15,
  PageUp: (place) => place - 15,
  Home: () => 0,
  End: (_, count) => count - 1,
};

interface Moves {
  place: number;
  go: (index: number) => void;
}

/** Moves in the list, copies the ID of a row, shows it beside the list, opens it, or closes what is shown. */
export function onGridKey<Row>(
  event: KeyboardEvent,
  { rows, keyOf, previewed, onPreview, onOpen }: GridProps<Row>,
  { place, go }: Moves,
) {
  if (event.target !== event.currentTarget || event.altKey) return;
  const row = rows[place];
  if (event.metaKey || event.ctrlKey) {
    if (event.key === 'c' && row && window.getSelection()?.type !== 'Range') copyId(keyOf(row));
    return;
  }
  const step = steps[event.key];
  if (step) {
    const next = Math.min(rows.length - 1, Math.max(0, step(place, rows.length)));
    if (rows.length > 0) go(next);
    if (previewed !== undefined) onPreview(rows[next]);
  } else if (event.key === 'Enter' && row) {
    if (previewed === undefined) onPreview(row);
    else onOpen(row);
  } else if (event.key === ' ' && row) onPreview(previewed === undefined ? row : undefined);
  else if (event.key === 'Escape' && previewed !== undefined) onPreview(undefined);
  else return;
  event.preventDefault();
}

async function copyId(id: string) {
  if (await copyText(id)) notify('ID copied');
}
