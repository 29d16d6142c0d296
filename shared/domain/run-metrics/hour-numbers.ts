import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Cell, cellSum } from './cell.ts';
import { type CellsByHour, cellsOfRun } from './cells-of-run.ts';
import { endedRuns } from './ended-runs.ts';
import { keptEntity, keptRange } from './metric-items.ts';

/** What the runs that ended in an hour add to this hour, and their records to earlier ones: from the rows themselves. */
export const hourNumbers = /* @__PURE__ */ using(
  [endedRuns],
  (scope: Pick<Scope, 'table'>) =>
    async (hour: string, withInside: boolean): Promise<CellsByHour> => {
      const sums = sumsByHour();
      for await (const runs of endedRuns(scope)(hour, withInside)) {
        for (const run of runs) sums.add(cellsOfRun(run));
      }
      const kept = await scope.table.queryAll({ ...keptRange(hour), consistent: true });
      for (const { byHour } of decodeReadable(keptEntity, kept)) sums.add(Object.entries(byHour));
      return sums.byHour();
    },
);

/** Adds up what several runs add to each hour. */
export function sumsByHour() {
  const sums = new Map<string, ReturnType<typeof cellSum>>();
  return {
    add(byHour: Iterable<readonly [string, Cell[]]>): void {
      for (const [hour, cells] of byHour) {
        const sum = sums.get(hour) ?? cellSum();
        sums.set(hour, sum);
        sum.add(cells);
      }
    },
    byHour: (): CellsByHour => new Map([...sums].map(([hour, sum]) => [hour, sum.cells()])),
  };
}
