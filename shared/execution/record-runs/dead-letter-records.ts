import { measure } from '../../core/invocation.ts';
import { agentRunQueue } from '../../domain/agents/agent-run-queue.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { loadGivenUpJob, loadJobsSeparately } from '../batches/record-jobs.ts';
import { type RunMessage, splitRunMessage } from '../batches/run-message.ts';
import { scheduleTimer } from '../batches/run-timer.ts';
import { slotDivider } from '../batches/slot-sharing.ts';
import { failRecord } from './run-record.ts';

/** The cause may be temporary: workers that could not start, or a service outage. */
const retryDelaysMs = [15 * 60_000, 60 * 60_000];

/** Retries the runs of a message that have not ended, each by itself from now on. */
export const handleDeadLetter = /* @__PURE__ */ using(
  [
    agentRunQueue,
    'table:write',
    'table:delete',
    'payloads:read',
    'payloads:write',
    'queue:wakes',
    'queue:deliveries',
    runEnd,
    slotDivider,
  ],
  async (scope: Scope, message: RunMessage): Promise<void> => {
    const runs = splitRunMessage(message);
    if (runs.length === 1) return retryOrFail(scope, message);
    // What cannot be read of one does not hold up the others.
    const jobs = await Promise.allSettled(loadJobsSeparately(scope, runs));
    const open = runs.filter((_, index) => {
      const job = jobs[index];
      return job?.status !== 'fulfilled' || !job.value.firstCheckpoint?.end;
    });
    const tried = await Promise.allSettled(open.map((run) => retryOrFail(scope, run)));
    const failed = tried.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  },
);

async function retryOrFail(scope: Scope, message: RunMessage): Promise<void> {
  const { restarts = 0 } = message;
  const restMs = retryDelaysMs[restarts];
  if (restMs !== undefined) {
    const until = new Date(scope.now().getTime() + restMs);
    return scheduleTimer(scope, until, { ...message, restarts: restarts + 1 });
  }
  measure('RunsFailed');
  await failRecord(
    scope,
    await loadGivenUpJob(scope, message),
    'The run failed to complete after several retries',
  );
}
