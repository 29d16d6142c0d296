import { log } from '../../shared/core/log.ts';
import { agentCards, refreshDueCards } from '../../shared/domain/agents/agent-cards.ts';
import { batchPlanner } from '../../shared/execution/batches/batch-plan.ts';
import { resumeStalledBatches } from '../../shared/execution/batches/stalled-batches.ts';
import { endExpiredExecutions } from '../../shared/execution/dispatch/end-execution.ts';
import { endRunsOfEarlierProcess } from '../../shared/execution/dispatch/lost-runs.ts';
import { resendQuietJobs } from '../../shared/execution/imports/quiet-jobs.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { cleanupQueue, sweepDeleted } from '../../shared/platform/cleanup/cleanup.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(
  batchPlanner,
  cleanupQueue,
  agentCards,
  endExpiredExecutions,
  'queue:jobs',
  'places:jobs',
);

/**
 * Scheduled. Completes what a crashed process left unfinished: cleanups whose message was never sent, dispatched runs
 * without an end, batches, imports and exports without messages. Refreshes the cards of external agents. @param event `atStart` is true when nothing else runs, as at the start of
 * the embedded stack: leases are then ignored.
 */
async function handle({ atStart = false }: { atStart?: boolean } = {}): Promise<void> {
  const runtime = productionRuntime();
  const now = new Date();
  const sweeps = await Promise.allSettled([
    sweepDeleted(runtime.scopeOf('').table, now),
    endExpiredExecutions(runtime, now, atStart),
    atStart && endRunsOfEarlierProcess(runtime, now),
    resumeStalledBatches(runtime, now, atStart),
    refreshDueCards(runtime, now),
    resendQuietJobs(runtime, now),
  ]);
  for (const sweep of sweeps) {
    if (sweep.status === 'rejected') log.error('A sweep failed', { error: sweep.reason });
  }
}

export const handler = toWorker('sweep', handle);
