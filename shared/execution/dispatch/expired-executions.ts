import { isOfEarlierProcess } from '../../core/earlier-process.ts';
import { log } from '../../core/log.ts';
import { runNotice } from '../../domain/a2a-tasks/run-notice.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { dueForSweep } from '../../platform/cleanup/sweeps.ts';
import { tombstoneEntity } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { readCheckpoints } from '../runs/checkpoints/read-checkpoints.ts';
import { openRunRecorder } from '../runs/checkpoints/run-recorder.ts';
import { closeExecution, executionEntity, executionSweep } from '../runs/execution.ts';
import { endingOfFlow } from '../runs/flow-ending.ts';
import { runOfFlow } from './flow-run-listing.ts';

/** @param atStart Whether only this process runs flows: then runs of earlier ones end whatever their lease says. */
export async function endExpiredExecutions({ scopeOf }: Runtime, now: Date, atStart: boolean): Promise<void> {
  for await (const page of dueForSweep(scopeOf('').table, executionSweep, atStart ? 'all' : now)) {
    for (const { tenant, PK } of page) {
      const scope = scopeOf(tenant);
      const id = PK.split('#').at(-1) ?? '';
      try {
        await endExpiredExecution(scope, id, { now, atStart });
      } catch (error) {
        // Its process has just written a checkpoint. The next sweep checks it again.
        if (!(error instanceof ConditionFailed))
          log.error('An expired execution could not be ended', { error, tenant, executionId: id });
      }
    }
  }
}

/** @throws ConditionFailed when the process of the run writes a checkpoint at the same time. */
export async function endExpiredExecution(
  scope: Scope,
  id: string,
  { now, atStart }: { now: Date; atStart: boolean } = { now: scope.now(), atStart: false },
): Promise<void> {
  const { table } = scope;
  const execution = await table.get(executionEntity, { id }, { consistent: true });
  if (!execution) return;
  const { paused } = execution;
  if (
    paused ? Date.parse(execution.leaseUntil) > now.getTime() : atStart && !isOfEarlierProcess(execution, now)
  )
    return;
  const { flowName, flowId, recordId, surface } = execution;
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
  // The cleanup of a deleted flow or record removes its runs.
  const isGone = !first || tombstones.some((each) => each !== undefined);
  if (isOver) return table.commit([close]);
  const error = paused
    ? `The caller did not send the output of the tool ${paused.toolName} in time`
    : 'The process of the run crashed before the run ended';
  const notice = await runNotice(scope, surface, { executionId: id, status: 'failed', output: null, error });
  const commit = async (writes: Write[]) => {
    await table.commit([...writes, ...notice.writes]);
    await notice.send();
  };
  // Of two sweeps, one tells the webhook.
  if (isGone) return commit([table.writes.remove(executionEntity, { id }, exists)]);
  const { results: _results, rows: _rows, pointers: _pointers, models: _models, ...rest } = first;
  const { recordMetadata: _metadata, ...facts } = rest;
  const runLog = openRunRecorder(
    scope,
    { ...facts, flowName, recordMetadata: {} },
    async ({ write, at, error: message, totals }) => {
      const ending = endingOfFlow({ at, error: message, totals }, 'failed');
      const listed = await runEnd(scope, runOfFlow(execution), ending);
      await commit([write, close, ...listed.writes]);
      await listed.send();
    },
    { earlier },
  );
  await runLog.finish(error);
}
