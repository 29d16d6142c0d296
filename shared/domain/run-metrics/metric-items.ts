/**
 * The items that hold the numbers of runs by hour and day, and the sums of an hour that has no items yet.
 * An hour or a day is folded into one item, or several parts if it is large; `part 0` says how many count. Batches may
 * have records that ended before the batch did: their numbers are items of the earlier hour with the later one as
 * `source`. Deleted rows leave their numbers in `keptEntity`.
 * `hourNumbers` computes an hour from the rows of the runs that ended in it, including those that began long before.
 * Folded hours expire after 90 days, days after 25 months.
 * `sweep-metrics.ts` writes the items, `metrics-report.ts` reads them.
 */
import * as z from 'zod';
import { getIdCreatedAt } from '../../core/ids.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import { type Partition, tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { StoredItem } from '../../platform/data/table.ts';
import { dayMs, isDay, periodEnd, periodStartMs } from '../runs/hour-marks.ts';
import {
  insideRunsPartition,
  lateRunsPartition,
  type Run,
  runEntity,
  runsPartition,
  toHour,
  toInsideKey,
  toRunsCeiling,
  toRunsFloor,
} from '../runs/run.ts';
import { Cell, type CellsByHour, createCellSum, toRunCells } from './cell.ts';

interface FoldedKey {
  period: string;
  source: string;
  part: number;
}

const toFoldedPartition = (period: string) =>
  tenantPartition(isDay(period) ? 'RUNMETRICS#DAYS' : 'RUNMETRICS#HOURS');

const keptPartition = tenantPartition('RUNMETRICS#KEPT');

const likelyTexts =
  '"model":"openai/gpt-anthropic/claude-google/gemini-"productId":"product_01k"surfaceId":"surface_01k"apiKeyId":"key_01k' +
  '"toolId":"tool_01k"inside":true,"kind":"agent","agentId":"agent_01k"kind":"batch""kind":"tool""kind":"record","flowId":' +
  '"cancelled":1"status":"failed","kind":"flow","name":"","flowId":"flow_01k","status":"completed","completed":1,"failed":0,' +
  '"cancelled":0,"unpriced":0,"cost":"0.00","savedCost":"0","input":0,"output":0,"cachedInput":0,"durations":{"';

/** The numbers of an hour or a day, in one part or several. */
export const foldedEntity = defineEntity({
  type: 'runMetrics',
  schema: z.object({
    period: z.string(),
    /** The hour or the day itself; or the later hour whose batches had records that ended in this one. */
    source: z.string(),
    part: z.int(),
    /** In part 0: how many there are. */
    parts: z.int(),
    cells: z.array(Cell),
    ttl: z.int(),
  }),
  key: ({ period, source, part }: FoldedKey) => ({
    PK: toFoldedPartition(period),
    SK: `${period}#${source}#${String(part).padStart(3, '0')}`,
  }),
  packing: { fields: ['cells'], dictionaries: [likelyTexts] },
});
export type Folded = z.infer<typeof foldedEntity.schema>;

export const toFoldedRange = (from: string, to: string) => ({
  partition: toFoldedPartition(from),
  from: `${from}#`,
  to: `${to}#~`,
});

/** The numbers of rows that were deleted. The hour's rows no longer have them. */
export const keptEntity = defineEntity({
  type: 'runMetricsKept',
  schema: z.object({
    hour: z.string(),
    id: z.string(),
    byHour: z.record(z.string(), z.array(Cell)),
    ttl: z.int(),
  }),
  key: ({ hour, id }: { hour: string; id: string }) => ({
    PK: keptPartition,
    SK: `${hour}#${id}`,
  }),
  packing: { fields: ['byHour'], dictionaries: [likelyTexts] },
});

const toKeptRange = (hour: string) => ({
  partition: keptPartition,
  from: `${hour}#`,
  to: `${hour}#~`,
});

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
  return PK.endsWith(insideRunsPartition.name) ? toInsideKey(id) : { id };
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
