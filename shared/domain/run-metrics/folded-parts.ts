import { unixSeconds } from '../../core/time.ts';
import { dayMs, isDay, periodEnd } from '../runs/hour-marks.ts';
import type { Cell } from './cell.ts';
import type { Folded } from './metric-items.ts';

/** Less than the 400 KB of an item even if nothing could be compressed but the repeated names. */
const partBytesMax = 450_000;

const hoursKeptDays = 90;
/** 25 months. */
const daysKeptDays = 763;

/** The items of an hour or a day. There is at least one, so that what has no runs is known to be folded. */
export function foldParts(period: string, source: string, cells: readonly Cell[]): Folded[] {
  const chunks: Cell[][] = [[]];
  let bytes = 0;
  for (const cell of cells) {
    const size = JSON.stringify(cell).length;
    if (bytes + size > partBytesMax && bytes > 0) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(cell);
    bytes += size;
  }
  const ttl = computeNumbersExpiry(period);
  return chunks.map((chunk, part) => ({ period, source, part, parts: chunks.length, cells: chunk, ttl }));
}

export const computeNumbersExpiry = (period: string) =>
  unixSeconds(new Date(periodEnd(period) + (isDay(period) ? daysKeptDays : hoursKeptDays) * dayMs));

/** The cells of the parts of one period and source; none of the parts that a larger fold before left. */
export const joinParts = (parts: readonly Folded[]): Cell[] => {
  const count = parts.find(({ part }) => part === 0)?.parts ?? 0;
  return parts.filter(({ part }) => part < count).flatMap(({ cells }) => cells);
};
