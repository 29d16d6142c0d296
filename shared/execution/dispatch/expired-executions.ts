import { isOfEarlierProcess } from '../../core/earlier-process.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import { listDue } from '../../platform/cleanup/sweeps.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { executionEntity, executionSweep } from '../runs/execution.ts';
import { endExecution } from './end-execution.ts';

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
