import { isOfEarlierProcess } from '../../core/earlier-process.ts';
import { log } from '../../core/log.ts';
import { isDay, markSweep, periodEnd, periodStartMs } from '../../domain/runs/hour-marks.ts';
import { type Run, runEntity, runsPartition, toRunsCeiling, toRunsFloor } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { isOpenRun } from '../../domain/runs/run-list.ts';
import { noTotals } from '../../domain/runs/run-use.ts';
import { using } from '../../platform/aws/uses.ts';
import { listDue } from '../../platform/cleanup/sweeps.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { executionEntity } from '../runs/execution.ts';
import { toFlowEnding } from '../runs/flow-run-event.ts';
import { leaseMs } from './dispatch-recorder.ts';
import { toolRunEnder } from './end-tool-run.ts';

const filter = {
  expression:
    '#summary.#kind IN (:flow, :tool) AND #summary.#status = :running AND attribute_not_exists(#summary.#batchId)',
  values: { flow: 'flow', tool: 'tool', running: 'running' },
};

/**
 * Ends what the list of an hour says that runs, and whose process crashed: runs of tools, and dispatched ones before their
 * first checkpoint, of which nothing else knows. Later ones have an execution, which has a sweep of its own.
 */
export const lostRuns = /* @__PURE__ */ using(
  [runEnd, toolRunEnder],
  (scope: Scope) =>
    async (hour: string, isLost: (run: Run) => boolean = isOverdue(scope)): Promise<void> => {
      const { table, now } = scope;
      const items = await table.queryAll({
        partition: runsPartition,
        from: toRunsFloor(periodStartMs(hour)),
        to: toRunsCeiling(periodEnd(hour)),
        filter,
        attributes: ['summary'],
      });
      const runs = decodeReadable(runEntity, items).filter(isLost);
      const executions = await table.getMany(
        runs.map(({ id }) => executionEntity.key({ id })),
        { consistent: true },
      );
      for (const run of runs.filter((_, index) => !executions[index])) {
        const error = 'The process of the run crashed before the run ended';
        if (run.kind === 'tool') {
          await toolRunEnder(scope).fail(run, error).catch(onConditionFailed(undefined));
          continue;
        }
        const ending = toFlowEnding({ at: now().toISOString(), error, totals: noTotals }, 'failed');
        const { writes, send } = await runEnd(scope, run, { ...ending, condition: isOpenRun });
        await table.commit(writes).then(send, onConditionFailed(undefined));
      }
    },
);

const isOverdue =
  ({ now }: Pick<Scope, 'now'>) =>
  ({ startedAt }: Run) =>
    now().getTime() - Date.parse(startedAt) > leaseMs;

/** At the start of the embedded stack, when nothing else runs. */
export async function endRunsOfEarlierProcess({ scopeOf }: Runtime, now: Date): Promise<void> {
  for await (const page of listDue(scopeOf('').table, markSweep, 'all')) {
    for (const { tenant, SK: hour } of page.filter(({ SK }) => !isDay(SK))) {
      await lostRuns(scopeOf(tenant))(hour, (run) => isOfEarlierProcess(run, now)).catch((error) =>
        log.error('The runs of an earlier process could not be ended', { error, tenant }),
      );
    }
  }
}
