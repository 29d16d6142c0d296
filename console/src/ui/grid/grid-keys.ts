import type { KeyboardEvent } from 'react';
import { uiTexts } from '../../texts/ui.ts';
import { copyText } from '../forms/use-copy.ts';
import { notify } from '../notices.tsx';
import type { GridProps } from './grid.tsx';

type Step = (place: number, count: number) => number;

const steps: Record<string, Step> = {
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

/** Moves in the list, selects rows, copies the ID of one, shows it beside the list, opens it, or closes what is shown. */
export function onGridKey<Row>(event: KeyboardEvent, grid: GridProps<Row>, moves: Moves) {
  if (event.target !== event.currentTarget || event.altKey) return;
  const hasActed =
    event.metaKey || event.ctrlKey ? command(event, grid, moves) : movesOrShows(event, grid, moves);
  if (hasActed) event.preventDefault();
}

function command<Row>({ key }: KeyboardEvent, { rows, keyOf, selection }: GridProps<Row>, { place }: Moves) {
  const row = rows[place];
  if (key === 'c' && row && window.getSelection()?.type !== 'Range') copyId(keyOf(row));
  else if (key === 'a' && selection) selection.selectAll();
  else return false;
  return true;
}

function movesOrShows<Row>({ key, shiftKey }: KeyboardEvent, grid: GridProps<Row>, moves: Moves) {
  const { rows, keyOf, selection, previewed, onPreview, onOpen } = grid;
  const row = rows[moves.place];
  if (steps[key]) move(steps[key], shiftKey, grid, moves);
  else if (key === ' ' && shiftKey && row) selection?.toggle(keyOf(row));
  else if (key === ' ' && row) onPreview(previewed === undefined ? row : undefined);
  else if (key === 'Enter' && row) (previewed === undefined ? onPreview : onOpen)(row);
  else if (key === 'Escape' && previewed !== undefined) onPreview(undefined);
  else if (key === 'Escape' && selection && selection.ids.size > 0) selection.deselect();
  else return false;
  return true;
}

/** With Shift, the rows between are selected. */
function move<Row>(step: Step, isRange: boolean, grid: GridProps<Row>, { place, go }: Moves) {
  const { rows, keyOf, selection, previewed, onPreview } = grid;
  const next = Math.min(rows.length - 1, Math.max(0, step(place, rows.length)));
  if (rows.length > 0) go(next);
  const between = rows.slice(Math.max(0, Math.min(place, next)), Math.max(place, next) + 1);
  if (isRange) selection?.add(between.map(keyOf));
  if (previewed !== undefined) onPreview(rows[next]);
}

async function copyId(id: string) {
  if (await copyText(id)) notify(uiTexts.idCopied);
}
