import { reviveStalledBatches } from '../../shared/batches/stalled.ts';
import { sweepDeleted } from '../../shared/data/cleanup.ts';
import { endAbandonedRuns } from '../../shared/dispatch/abandoned.ts';
import { log } from '../../shared/log.ts';
import { productionRuntime } from '../../shared/runtime.ts';

/** Later than any lease or look that is due: the embedded stack asks for it at its start, when nothing else is at work. */
const everything = new Date('9999-12-31T00:00:00.000Z');

/**
 * Scheduled. Finishes what a process that died left half-done: clean-ups whose message was never sent, dispatched runs
 * without an end, batches without messages.
 */
export async function handler({ atStart = false }: { atStart?: boolean } = {}): Promise<void> {
  const runtime = productionRuntime();
  const now = new Date();
  const due = atStart ? everything : now;
  const sweeps = await Promise.allSettled([
    sweepDeleted(runtime.scopeOf('').table, now),
    endAbandonedRuns(runtime, due),
    reviveStalledBatches(runtime, now, due),
  ]);
  for (const sweep of sweeps) {
    if (sweep.status === 'rejected') log.error('A sweep broke off', { error: sweep.reason });
  }
}
