import type { Context } from 'aws-lambda';
import {
  scheduleSweepRequirements,
  sweepSchedules,
} from '../../shared/execution/schedules/sweep-schedules.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = scheduleSweepRequirements;

/** How long a sweep waits for EventBridge Scheduler. At the start of the embedded stack, nobody else fires what is overdue. */
const graceMs = 2 * 60_000;

/** Scheduled. Fires overdue schedules and repairs what EventBridge Scheduler knows of them. */
const handle = ({ atStart = false }: { atStart?: boolean }, context: Context): Promise<void> => {
  const due = new Date(Date.now() + (atStart ? graceMs : 0));
  return sweepSchedules(productionRuntime(), due, () => context.getRemainingTimeInMillis());
};

export const handler = toWorker('sweep-schedules', handle);
