import { log } from '../../core/log.ts';
import { dueForSweep } from '../../platform/cleanup/sweeps.ts';
import { tombstoneEntity } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { readCheckpoints } from '../runs/checkpoints/read-checkpoints.ts';
import { openRunRecorder } from '../runs/checkpoints/run-recorder.ts';
import { closeExecution, type Execution, executionEntity, executionSweep } from '../runs/execution.ts';

/**
 * Ends the dispatched runs whose process died, of all tenants.
 * @param atStart Whether this process alone runs flows, so that a run of an earlier one is over whatever its lease says.
 */
export async function endExpiredExecutions({ scopeOf }: Runtime, now: Date, atStart: boolean): Promise<void> {
  for await (const page of dueForSweep(scopeOf('').table, executionSweep, atStart ? 'all' : now)) {
    for (const { tenant, PK } of page) {
      const scope = scopeOf(tenant);
      const id = PK.split('#').at(-1) ?? '';
      try {
        await endExpiredExecution(scope, id, { now, atStart });
      } catch (error) {
        // Written by its process after all, in this moment: the next sweep sees how it stands.
        if (!(error instanceof ConditionFailed)) log.error('A run could not be ended', { error, runId: id });
      }
    }
  }
}

/** Also where the clock was set back since an earlier one. */
const isOfThisProcess = ({ startedAt }: Execution, now: Date) =>
  Date.parse(startedAt) >= performance.timeOrigin && Date.parse(startedAt) <= now.getTime();

/** Ends one run whose lease has passed. @throws ConditionFailed when its process wrote something meanwhile. */
export async function endExpiredExecution(
  scope: Scope,
  id: string,
  { now, atStart }: { now: Date; atStart: boolean } = { now: scope.now(), atStart: false },
): Promise<void> {
  const { table } = scope;
  const execution = await table.get(executionEntity, { id }, { consistent: true });
  if (!execution || (atStart && isOfThisProcess(execution, now))) return;
  const { flowName, flowId, recordId } = execution;
  const close = closeExecution(table, id);
  const [earlier, tombstones] = await Promise.all([
    readCheckpoints(scope, { runId: id, recordId }),
    table.getMany(
      [flowId, recordId ?? '-'].map((each) => tombstoneEntity.key({ id: each })),
      { consistent: true },
    ),
  ]);
  const [first] = earlier;
  const isOver = earlier.at(-1)?.end !== undefined;
  // What was deleted takes its runs along.
  const isGone = !first || tombstones.some((each) => each !== undefined);
  if (isOver || isGone) return table.commit([close]);
  const { results: _results, rows: _rows, pointers: _pointers, recordMetadata: _metadata, ...facts } = first;
  const runLog = openRunRecorder(
    scope,
    { ...facts, flowName, recordMetadata: {} },
    ({ write }) => table.commit([write, close]),
    { earlier },
  );
  await runLog.finish('The process that ran it ended before the run did');
}
