import type { Scope } from '../../platform/data/scope.ts';
import { failRecord } from './batch-recorder.ts';
import type { RecordJob } from './record-jobs.ts';
import { scheduleTimer } from './timers.ts';

/**
 * How long a record rests each time that its message was given up on, before it is tried anew. What kept it from running
 * may not be its own fault: workers that could not start, a service that was away.
 */
const retryDelaysMs = [15 * 60_000, 60 * 60_000];

/** Takes a record whose message was given up on: it is tried anew after a rest, and in the end failed with the reason. */
export async function handleDeadLetter(scope: Scope, job: RecordJob): Promise<void> {
  const { message } = job;
  const { restarts = 0 } = message;
  const restMs = retryDelaysMs[restarts];
  if (restMs === undefined) {
    return failRecord(scope, job, 'The run broke off again and again and was given up');
  }
  await scheduleTimer(scope, new Date(scope.now().getTime() + restMs), {
    ...message,
    restarts: restarts + 1,
  });
}
