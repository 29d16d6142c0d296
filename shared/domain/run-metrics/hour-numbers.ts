import { getIdCreatedAt } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Partition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { StoredItem } from '../../platform/data/table.ts';
import { periodEnd, periodStartMs } from '../runs/hour-marks.ts';
import {
  insideRunsPartition,
  lateRunsPartition,
  type Run,
  runEntity,
  runsPartition,
  toHour,
  toRunsCeiling,
  toRunsFloor,
} from '../runs/run.ts';
import { type Cell, type CellsByHour, createCellSum, toRunCells } from './cell.ts';
import { keptEntity, toKeptRange } from './metric-items.ts';

const lateRunsPerPage = 100;

/** The rows of the runs that ended in an hour, a page at a time: of 1 MB, or of 100 runs that began in another hour. */
const endedRuns = /* @__PURE__ */ using(['table:read'], ({ table }: Pick<Scope, 'table'>) => {
  async function* readBegunRuns(hour: string, partition: Partition): AsyncGenerator<Run[]> {
    const range = {
      partition,
      from: toRunsFloor(periodStartMs(hour)),
      to: toRunsCeiling(periodEnd(hour) - 1),
    };
    for await (const items of table.pages({ ...range, consistent: true })) {
      yield decodeReadable(runEntity, items).filter((run) => hasEndedIn(run, hour));
    }
  }

  async function* readLateRuns(hour: string, withInside: boolean): AsyncGenerator<Run[]> {
    const range = { partition: lateRunsPartition, index: 2, from: `${hour}:`, to: `${hour}:~` } as const;
    for await (const items of table.pages({ ...range, perQuery: lateRunsPerPage })) {
      const keys = items
        .map(toRunKey)
        .filter(({ id, parentRunId }) => toHour(getIdCreatedAt(id)) !== hour && (withInside || !parentRunId));
      const rows = await table.getMany(keys.map(runEntity.key), { consistent: true });
      yield decodeReadable(runEntity, rows).filter((run) => hasEndedIn(run, hour));
    }
  }

  /** @param withInside Also those inside of others. */
  return async function* (hour: string, withInside: boolean): AsyncGenerator<Run[]> {
    yield* readBegunRuns(hour, runsPartition);
    if (withInside) yield* readBegunRuns(hour, insideRunsPartition);
    yield* readLateRuns(hour, withInside);
  };
});

const hasEndedIn = ({ completedAt }: Run, hour: string) =>
  completedAt !== undefined && toHour(completedAt) === hour;

/** The index has only the keys: `<end>#<id>`, and the partition says whether it is inside of another. */
function toRunKey({ PK, SK2 }: StoredItem) {
  const id = String(SK2).split('#')[1] ?? '';
  return { id, ...(PK.endsWith(insideRunsPartition.name) && { parentRunId: 'inside' }) };
}

/** What the runs that ended in an hour add to this hour, and their records to earlier ones: from the rows themselves. */
export const hourNumbers = /* @__PURE__ */ using(
  [endedRuns],
  (scope: Pick<Scope, 'table'>) =>
    async (hour: string, withInside: boolean): Promise<CellsByHour> => {
      const sums = createHourSums();
      for await (const runs of endedRuns(scope)(hour, withInside)) {
        for (const run of runs) sums.add(toRunCells(run));
      }
      const kept = await scope.table.queryAll({ ...toKeptRange(hour), consistent: true });
      for (const { byHour } of decodeReadable(keptEntity, kept)) sums.add(Object.entries(byHour));
      return sums.byHour();
    },
);

/** Adds up what several runs add to each hour. */
export function createHourSums() {
  const sums = new Map<string, ReturnType<typeof createCellSum>>();
  return {
    add(byHour: Iterable<readonly [string, Cell[]]>): void {
      for (const [hour, cells] of byHour) {
        const sum = sums.get(hour) ?? createCellSum();
        sums.set(hour, sum);
        sum.add(cells);
      }
    },
    byHour: (): CellsByHour => new Map([...sums].map(([hour, sum]) => [hour, sum.cells()])),
  };
}
