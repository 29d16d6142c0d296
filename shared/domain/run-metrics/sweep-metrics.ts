/**
 * How numbers of runs are added up.
 *
 * Before a run ends, its process marks the hour (`shared/domain/runs/hour-marks.ts`). Twenty minutes after the hour, when
 * lost runs of it have ended too, this reads the rows of the runs that ended in it (those whose id is of that hour, and an index of the
 * others), adds them up in cells, one for each combination of kind, flow, agent, key and so on (`cell.ts`), and stores them; the
 * mark goes with the last of them. A run that ends in it later sets the mark again, and the hour is folded anew. A day is folded from its hours half an hour after the last of them. Readers take what is folded,
 * and compute marked hours from their rows in the same way (`metrics-report.ts`).
 * Records of a batch are counted by hour in the row of the batch. Those of earlier hours become items of these hours, with the
 * hour of the end as their source; they count once that hour is folded, and until then from the row.
 * When rows are deleted, their numbers stay.
 */

import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { log } from '../../core/log.ts';
import { combineRequirements, using } from '../../platform/aws/uses.ts';
import { listDue } from '../../platform/cleanup/sweeps.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Runtime } from '../../platform/runtime.ts';
import {
  acquireMark,
  isDay,
  listMarks,
  markDay,
  markEntity,
  markSweep,
  type PeriodMark,
  toDay,
} from '../runs/hour-marks.ts';
import { type CellsByHour, createCellSum } from './cell.ts';
import {
  createHourSums,
  type Folded,
  foldedEntity,
  foldParts,
  hourNumbers,
  joinParts,
  toFoldedRange,
} from './metric-items.ts';

/** A transaction takes 4 MB. */
const itemsPerCommit = 8;

/** Folds an hour or a day that is due. @returns whether it is folded: false if another worker is on it, or a day is not ready. */
export const folder = /* @__PURE__ */ using(
  [hourNumbers, 'table:write', 'table:delete'],
  (scope: Scope) =>
    async (period: string): Promise<boolean> => {
      const mark = await acquireMark(scope, period);
      if (!mark) return false;
      const items = isDay(period) ? await foldDay(scope, period) : await foldHour(scope, period);
      if (!items) return false;
      try {
        await commitFold(scope, mark, items);
        return true;
      } catch (error) {
        if (error instanceof ConditionFailed) return false;
        throw error;
      }
    },
);

/** The hour itself first. */
async function foldHour(scope: Scope, hour: string): Promise<Folded[]> {
  const byHour = await hourNumbers(scope)(hour, true);
  const hourParts = foldParts(hour, hour, byHour.get(hour) ?? []);
  byHour.delete(hour);
  const earlier = [...byHour, ...groupByDay(byHour)];
  return [...hourParts, ...earlier.flatMap(([period, cells]) => foldParts(period, hour, cells))];
}

/** A day's own item has none of these, whether the day is over or not. */
function groupByDay(byHour: CellsByHour): CellsByHour {
  const sums = createHourSums();
  sums.add([...byHour].map(([hour, cells]) => [toDay(hour), cells]));
  return sums.byHour();
}

/** @returns nothing while one of its hours is not folded: the sweep tries again. */
async function foldDay(scope: Scope, day: string): Promise<Folded[] | undefined> {
  const open = (await listMarks(scope)).some(({ period }) => !isDay(period) && toDay(period) === day);
  if (open) return undefined;
  const sum = createCellSum();
  const stored = await scope.table.queryAll({ ...toFoldedRange(`${day}T00`, `${day}T23`), consistent: true });
  const dayParts = decodeReadable(foldedEntity, stored).filter(({ period, source }) => period === source);
  for (const parts of Map.groupBy(dayParts, ({ period }) => period).values()) sum.add(joinParts(parts));
  return foldParts(day, day, sum.cells());
}

async function commitFold(scope: Scope, mark: PeriodMark, [first, ...others]: Folded[]): Promise<void> {
  const { writes, commit } = scope.table;
  const isTaken = isUnchanged(mark);
  const puts = others.map((item) => writes.put(foldedEntity, item));
  for (let at = 0; at + itemsPerCommit <= puts.length; at += itemsPerCommit) {
    const some = puts.slice(at, at + itemsPerCommit);
    await commit([...some, writes.check(markEntity, mark, isTaken)]);
  }
  const last: Write[] = puts.slice(puts.length - (puts.length % itemsPerCommit));
  if (first) last.push(writes.put(foldedEntity, first));
  if (!isDay(mark.period)) last.push(markDay(scope, toDay(mark.period)));
  await commit([...last, writes.remove(markEntity, mark, isTaken)]);
}

export const metricsSweepRequirements = combineRequirements(folder);

const atOnce = 4;
/** Reserved for what began. */
const reserveMs = 60_000;

/**
 * Folds the hours and days that are due, of all tenants: hours first, since days are made of them.
 * @param beforeHour Called before an hour is folded.
 */
export async function sweepRunMetrics(
  { scopeOf }: Runtime,
  due: Date,
  timeLeftMs: () => number,
  beforeHour: (scope: Scope, hour: string) => Promise<void>,
): Promise<void> {
  for await (const page of listDue(scopeOf('').table, markSweep, due)) {
    const [days, hours] = [page.filter(({ SK }) => isDay(SK)), page.filter(({ SK }) => !isDay(SK))];
    for (const marks of [hours, days]) {
      const work = async ({ tenant, SK: period }: (typeof page)[number]) => {
        if (timeLeftMs() < reserveMs) return;
        const scope = scopeOf(tenant);
        try {
          if (!isDay(period)) await beforeHour(scope, period);
          await folder(scope)(period);
        } catch (error) {
          log.error('The numbers of runs could not be folded', { error, tenant, period });
        }
      };
      for await (const _done of mapConcurrently(marks, atOnce, work));
    }
  }
}
