/**
 * Reads the numbers of a range of hours or days: folded items, and for hours that are marked, sums computed from the rows of
 * runs.
 *
 * An hour may be folded between reading its mark and its items; so the marks are read again afterwards, and everything is
 * repeated if one of them changed, a few times. `functions/run-metrics` shows them through `metrics-report.ts`.
 */

import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { isDay, listMarks, type PeriodMark, toDay } from '../runs/hour-marks.ts';
import type { Cell } from './cell.ts';
import { createHourSums, foldedEntity, hourNumbers, joinParts, toFoldedRange } from './metric-items.ts';

export interface NumbersRange {
  /** The first and the last hour or day. */
  from: string;
  to: string;
  /** Whether runs inside of others are needed. */
  inside: boolean;
  /** Whether records of batches are needed, which may have ended before their batch, in an hour of the range. */
  records: boolean;
}

export type NumbersByPeriod = ReadonlyMap<string, Cell[]>;

const hoursAtOnce = 4;
/** How often it reads again because rows were deleted meanwhile. */
const attemptsMax = 3;

/**
 * The numbers of each hour or day. What is folded comes from items. The hours that are not, which are the current one and
 * those that ended less than half an hour ago, are computed from the rows of their runs: a request for each megabyte.
 */
export const numbersReader = /* @__PURE__ */ using(
  [hourNumbers],
  (scope: Pick<Scope, 'table'>) =>
    async (range: NumbersRange): Promise<NumbersByPeriod> => {
      for (let attempt = 1; ; attempt++) {
        const marks = await listMarks(scope);
        const open = marks.filter(({ period }) => !isDay(period) && isNeeded(period, range));
        const numbers = await readOnce(scope, range, marks, open);
        if (open.length === 0 || attempt >= attemptsMax) return numbers;
        const after = new Map((await listMarks(scope)).map(({ period, revision }) => [period, revision]));
        if (open.every(({ period, revision }) => after.get(period) === revision)) return numbers;
      }
    },
);

const isNeeded = (hour: string, { from, to, records }: NumbersRange) =>
  isDay(from)
    ? toDay(hour) >= from && (records || toDay(hour) <= to)
    : hour >= from && (records || hour <= to);

async function readOnce(
  scope: Pick<Scope, 'table'>,
  range: NumbersRange,
  marks: readonly PeriodMark[],
  open: readonly PeriodMark[],
): Promise<NumbersByPeriod> {
  const marked = new Set(marks.map(({ period }) => period));
  const sums = createHourSums();
  const add = (period: string, cells: Cell[]) => {
    const name = period.slice(0, range.from.length);
    if (name >= range.from && name <= range.to) sums.add([[name, cells]]);
  };
  for (const [period, cells] of await readFoldedCells(scope, range, marked)) add(period, cells);
  const compute = ({ period }: PeriodMark) => hourNumbers(scope)(period, range.inside);
  for await (const byHour of mapConcurrently(open, hoursAtOnce, compute)) {
    for (const [hour, cells] of byHour) add(hour, cells);
  }
  return sums.byHour();
}

/** Of a day that is not folded, the hours that are. */
async function readFoldedCells(
  scope: Pick<Scope, 'table'>,
  { from, to }: NumbersRange,
  marked: ReadonlySet<string>,
): Promise<[string, Cell[]][]> {
  if (!isDay(from)) return readStoredCells(scope, from, to, ({ source }) => !marked.has(source));
  const openDays = new Set([...marked].map(toDay));
  const days = await readStoredCells(scope, from, to, ({ period, source }) =>
    period === source ? !openDays.has(period) : !marked.has(source),
  );
  const wanted = [...openDays].filter((day) => day >= from && day <= to).sort();
  const hours = wanted.map((day) =>
    readStoredCells(
      scope,
      `${day}T00`,
      `${day}T23`,
      ({ period, source }) => period === source && !marked.has(source),
    ),
  );
  return [...days, ...(await Promise.all(hours)).flat()];
}

async function readStoredCells(
  { table }: Pick<Scope, 'table'>,
  from: string,
  to: string,
  counts: (place: { period: string; source: string }) => boolean,
): Promise<[string, Cell[]][]> {
  const items = await table.queryAll({ ...toFoldedRange(from, to), consistent: true });
  const parts = decodeReadable(foldedEntity, items).filter(counts);
  const folds = Map.groupBy(parts, ({ period, source }) => `${period}#${source}`);
  return [...folds].map(([key, same]) => [key.split('#')[0] ?? '', joinParts(same)]);
}
