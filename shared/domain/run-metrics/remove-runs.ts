import { randomUUID } from 'node:crypto';
import { toChunks } from '../../core/chunks.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, exists } from '../../platform/data/writes.ts';
import { dayMs, listMarks, markEntity, periodEnd } from '../runs/hour-marks.ts';
import { type Run, runEntity, toHour } from '../runs/run.ts';
import { toRunCells } from './cell.ts';
import { computeNumbersExpiry, createHourSums, keptEntity } from './metric-items.ts';

const rowsPerCommit = 50;

const attemptsMax = 10;

/**
 * Deletes rows of runs, and none of the numbers: an hour that is not folded yet, or might be folded again, keeps those of
 * the rows that it loses.
 */
export const runRowRemover = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  async function removeFromHour(hour: string, allRuns: readonly Run[]): Promise<void> {
    let runs = allRuns;
    for (let attempt = 1; runs.length > 0; attempt++) {
      const isMarked = (await listMarks(scope)).some(({ period }) => period === hour);
      try {
        return await scope.table.commit(createHourWrites(scope, hour, runs, isMarked));
      } catch (error) {
        if (!(error instanceof ConditionFailed) || attempt >= attemptsMax) throw error;
        // Who removed a row has kept its numbers.
        runs = runs.filter((_run, index) => !error.failed.includes(index));
      }
    }
  }

  return async (runs: readonly Run[]): Promise<void> => {
    if (runs.length === 0) return;
    const marked = new Set((await listMarks(scope)).map(({ period }) => period));
    const isSettled = (hour: string) => !marked.has(hour) && periodEnd(hour) + dayMs < scope.now().getTime();
    const byHour = Map.groupBy(runs, ({ completedAt }) => (completedAt ? toHour(completedAt) : ''));
    for (const [hour, same] of byHour) {
      if (hour === '' || isSettled(hour)) await scope.table.removeAll(same.map(runEntity.key));
      else for (const some of toChunks(same, rowsPerCommit)) await removeFromHour(hour, some);
    }
  };
});

/** The rows first: their places are those of the runs. */
function createHourWrites(
  { table: { writes } }: Scope,
  hour: string,
  runs: readonly Run[],
  isMarked: boolean,
) {
  const sums = createHourSums();
  for (const run of runs) sums.add(toRunCells(run));

  const kept = {
    hour,
    id: randomUUID(),
    byHour: Object.fromEntries(sums.byHour()),
    ttl: computeNumbersExpiry(hour),
  };
  const mark = { period: hour };
  return [
    ...runs.map((run) => writes.remove(runEntity, run, exists)),
    writes.put(keptEntity, kept),
    isMarked
      ? writes.update(markEntity, mark, { add: { revision: 1 } }, exists)
      : writes.check(markEntity, mark, absent),
  ];
}
