import { log } from '../../shared/core/log.ts';
import { batchPlanner } from '../../shared/execution/batches/batch-plan.ts';
import { reviveStalledBatches } from '../../shared/execution/batches/stalled.ts';
import { endAbandonedRuns } from '../../shared/execution/dispatch/abandoned.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { cleanupQueue, sweepDeleted } from '../../shared/platform/cleanup/cleanup.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = requirementsOf(batchPlanner, cleanupQueue, 'table:write', 'payloads');

/**
 * Scheduled. Recovers from crashed processes: sends missing cleanup messages, ends abandoned dispatch runs, revives
 * stalled batches.
 * @param event `atStart`: no other process is running (the embedded stack starts), so no lease is valid.
 */
export async function handler({ atStart = false }: { atStart?: boolean } = {}): Promise<void> {
  const runtime = productionRuntime();
  const now = new Date();
  const sweeps = await Promise.allSettled([
    sweepDeleted(runtime.scopeOf('').table, now),
    endAbandonedRuns(runtime, now, atStart),
    reviveStalledBatches(runtime, now, atStart),
  ]);
  for (const sweep of sweeps) {
    if (sweep.status === 'rejected') log.error('A sweep failed', { error: sweep.reason });
  }
}
