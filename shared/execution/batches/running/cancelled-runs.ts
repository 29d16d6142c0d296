import { runEntity } from '../../../domain/runs/run.ts';
import { runEnd } from '../../../domain/runs/run-end.ts';
import { runCancelled } from '../../../domain/runs/run-list.ts';
import { using } from '../../../platform/aws/uses.ts';
import { ifRefused } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { batchCancelled } from '../batch-run.ts';
import { batchStore } from '../batch-store.ts';
import { releaseSlots, slotDivider } from '../concurrency/slot-sharing.ts';
import type { RunMessage } from '../messages/run-message.ts';
import { batchRecorder, earlierCheckpoints } from './batch-recorder.ts';
import { groupCommits, type RunCommits } from './group-commit.ts';
import { loadJobs, type RecordJob } from './record-jobs.ts';

/** Counts the costs of the run, but not its record, so that the batch's totals stay. */
export async function endCancelledRun(scope: Scope, job: RecordJob, commits: RunCommits): Promise<void> {
  const { batch } = job;
  const earlier = await earlierCheckpoints(scope, job);
  const last = earlier.at(-1);
  // One that never began is over too, if somebody waits to be told.
  if (!batch?.stopped || last?.end || !(last || batch.surface || batch.dispatched)) return;
  const recorder = batchRecorder(scope, job, batch, { commits, earlier });
  await recorder.finish(batch.error ?? (batch.dispatched ? runCancelled : batchCancelled));
}

/** Ends a suspended run of a cancelled batch before its timer fires. @returns whether it did. */
export const endSuspendedRun = /* @__PURE__ */ using(
  ['table:write', 'table:delete', 'payloads:read', 'payloads:write', 'queue:deliveries', runEnd, slotDivider],
  (scope: Scope) =>
    async (run: Pick<RunMessage, 'batchId' | 'flowId' | 'recordId' | 'runId'>): Promise<boolean> => {
      const [job] = await loadJobs(scope, [{ ...run, tenant: scope.table.tenant, slot: 0 }]);
      if (!job?.batch?.stopped) return false;
      const earlier = await earlierCheckpoints(scope, job);
      if (!earlier.at(-1)?.waiting) return false;
      const { stored } = await groupCommits(scope)((commits) => endCancelledRun(scope, job, commits));
      // Rejected if the timer fired right before the cancellation and the run has written a checkpoint since.
      return stored.then(() => true, ifRefused(false));
    },
);

/** Cancels a batch and, if it is a single run that is suspended, that run. @throws 404, 409 if it has ended. */
export const batchCanceller = /* @__PURE__ */ using(
  [batchStore, endSuspendedRun],
  (scope: Scope) =>
    async (batchId: string): Promise<void> => {
      const { get, stop } = batchStore(scope);
      const { dispatched, flowId } = await get(batchId);
      const run =
        dispatched && (await scope.table.get(runEntity, { id: dispatched.runId }, { consistent: true }));
      await stop(batchId, 'cancelled');
      await Promise.all([slotDivider(scope).giveUp(batchId), releaseSlots(scope, batchId)]);
      // The process that has a run ends it.
      if (dispatched && run?.status !== 'running')
        await endSuspendedRun(scope)({ ...dispatched, batchId, flowId });
    },
);
