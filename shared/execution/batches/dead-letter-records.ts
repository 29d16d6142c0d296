import { measure } from '../../core/invocation.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { failRecord } from './batch-recorder.ts';
import type { RecordJob } from './record-jobs.ts';
import { scheduleTimer } from './timers.ts';

/**
 * How long a record from the dead-letter queue waits before each retry. The cause may be temporary: workers that could
 * not start, or a service outage.
 */
const retryDelaysMs = [15 * 60_000, 60 * 60_000];

/** Retries a record from the dead-letter queue after a delay. Fails it when all retries are used up. */
export async function handleDeadLetter(scope: Scope, job: RecordJob): Promise<void> {
  const { message } = job;
  const { restarts = 0 } = message;
  const restMs = retryDelaysMs[restarts];
  if (restMs === undefined) {
    measure('RunsFailed');
    return failRecord(scope, job, 'The run failed to complete after several retries');
  }
  await scheduleTimer(scope, new Date(scope.now().getTime() + restMs), {
    ...message,
    restarts: restarts + 1,
  });
}
