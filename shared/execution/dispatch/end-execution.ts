import { isOfEarlierProcess } from '../../core/earlier-process.ts';
import { conflict } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { combineNotifications } from '../../domain/deliveries/end-webhook.ts';
import { type Run, runEntity } from '../../domain/runs/run.ts';
import { createRunNotification, runEnd } from '../../domain/runs/run-end.ts';
import { isOpenRun, type RunEnding, runCancelled, runError } from '../../domain/runs/run-list.ts';
import { noTotals } from '../../domain/runs/run-use.ts';
import { using } from '../../platform/aws/uses.ts';
import { listDue } from '../../platform/cleanup/sweeps.ts';
import { filterDeleted } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { closeExecution, type Execution, executionEntity, executionSweep } from '../runs/execution.ts';
import { toFlowEnding, toFlowRun } from '../runs/flow-run-event.ts';
import { readCheckpoints } from '../runs/read-checkpoints.ts';
import { openRunRecorder } from '../runs/run-recorder.ts';

/**
 * Ends a dispatched run that no process runs.
 * @throws ConditionFailed when the process of the run writes a checkpoint at the same time, or another one ends it.
 */
const endExecution = /* @__PURE__ */ using(
  ['table:write', 'table:delete', 'payloads:read', 'payloads:write', 'queue:deliveries', runEnd],
  async (
    scope: Scope,
    execution: Execution,
    { status, error }: { status: 'failed' | 'cancelled'; error: string },
  ): Promise<void> => {
    const { table } = scope;
    const { id, flowName, flowId, recordId, surface } = execution;
    const close = closeExecution(table, id);
    const [earlier, deleted] = await Promise.all([
      readCheckpoints(scope, { runId: id, recordId }),
      filterDeleted(table, [flowId, ...(recordId ? [recordId] : [])]),
    ]);
    if (earlier.at(-1)?.end !== undefined) return table.commit([close]);
    const notice = await createRunNotification(scope, surface, {
      executionId: id,
      status,
      output: null,
      error,
    });
    const commit = async (writes: Write[], ended: Pick<RunEnding, 'at' | 'totals'>) => {
      const listed = await runEnd(scope, toFlowRun(execution), toFlowEnding({ ...ended, error }, status));
      const notices = combineNotifications(notice, listed);
      await table.commit([...writes, ...notices.writes]);
      await notices.send();
    };
    const [first] = earlier;
    // The cleanup of a deleted flow or record removes its runs. Of two sweeps, one tells the webhook.
    if (!first || deleted.length > 0) {
      const gone = table.writes.remove(executionEntity, { id }, exists);
      return commit([gone], { at: scope.now().toISOString(), totals: noTotals });
    }
    const {
      results: _results,
      rows: _rows,
      pointers: _pointers,
      models: _models,
      use: _use,
      ...rest
    } = first;
    const { recordMetadata: _metadata, input: _input, ...facts } = rest;
    const recorder = openRunRecorder(
      scope,
      { ...facts, flowName, recordMetadata: {} },
      ({ write, at, totals }) => commit([write, close], { at, totals }),
      { earlier },
    );
    await recorder.finish(error);
  },
);

/** Cancels a dispatched run. Its process stops within seconds, and stores what it took. @throws 409 if it is over. */
export const cancelExecution = /* @__PURE__ */ using(
  [endExecution],
  async (scope: Scope, { id }: Pick<Run, 'id'>): Promise<void> => {
    const { table, now } = scope;
    const execution = await table.get(executionEntity, { id }, { consistent: true });
    const status = 'cancelled' as const;
    try {
      if (execution?.paused) return await endExecution(scope, execution, { status, error: runCancelled });
      const error = runError(status, runCancelled) ?? undefined;
      const set = { status, completedAt: now().toISOString(), error };
      await table.commit([table.writes.update(runEntity, { id }, { set }, isOpenRun)]);
    } catch (failure) {
      throw failure instanceof ConditionFailed ? conflict('The run is over') : failure;
    }
  },
);

/** @param atStart Whether only this process runs flows: then runs of earlier ones end whatever their lease says. */
export const endExpiredExecutions = /* @__PURE__ */ using(
  [endExecution],
  async ({ scopeOf }: Runtime, now: Date, atStart: boolean): Promise<void> => {
    for await (const page of listDue(scopeOf('').table, executionSweep, atStart ? 'all' : now)) {
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
  },
);

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
  await endExecution(scope, execution, {
    status: 'failed',
    error: paused
      ? `The caller did not send the output of the tool ${paused.toolName} in time`
      : 'The process of the run crashed before the run ended',
  });
}
