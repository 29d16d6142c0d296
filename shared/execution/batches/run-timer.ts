/**
 * The timers of runs: each sends the message of a run at a time, to resume or to retry it.
 * A timer is an SQS delay up to 15 minutes, above that a one-time schedule of EventBridge; both put a `TimerMessage`
 * into the queue of the worker `wake-run`, which fires it into the FIFO group of the run.
 * Names of schedules and deduplication ids contain `wake` and `sending`, so that a run can send again what it has sent
 * before. Nothing is stored here; a second timer finds nothing to do.
 */
import * as z from 'zod';
import { sendGrouped, sendMessage } from '../../platform/aws/queues.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { RunMessage, resendName, toFifoGroup } from './run-message.ts';

/**
 * Tells apart what a run sends again: SQS would drop a second message, and EventBridge Scheduler a second schedule, with a
 * name that it knows.
 */
const toTimerNumber = ({ wake = 0, sending = 0 }: Pick<RunMessage, 'wake' | 'sending'>) =>
  sending > 0 ? `${wake}.${resendName(sending)}` : String(wake);

/** Asks a worker to resume a suspended run at a time. */
export const TimerMessage = z.object({ at: z.string(), run: RunMessage });

export type TimerMessage = z.infer<typeof TimerMessage>;

/** The longest SQS delay. Longer timers use EventBridge Scheduler. */
const queueSecondsMax = 900;

/** Resumes a suspended run at a time. A duplicate timer does no harm: the second one finds nothing to do. */
export async function scheduleTimer({ now }: Scope, until: Date, run: RunMessage): Promise<void> {
  const message: TimerMessage = {
    at: until.toISOString(),
    run: { ...run, wake: (run.wake ?? 0) + 1 },
  };
  const seconds = Math.ceil((until.getTime() - now().getTime()) / 1_000);
  if (seconds <= queueSecondsMax) {
    return sendMessage('WAKES_QUEUE_URL', message, { delaySeconds: Math.max(0, seconds) });
  }
  const { scheduleMessage } = await import('../../platform/aws/scheduler.ts');
  const name = `${run.runId}-${toTimerNumber(message.run)}`;
  await scheduleMessage({ name, at: until, queueEnv: 'WAKES_QUEUE_ARN', body: message });
}

/** Enqueues the run in its FIFO group, or reschedules an early timer. */
export async function fireTimer(scope: Scope, { at, run }: TimerMessage): Promise<void> {
  const until = new Date(at);
  if (until.getTime() - scope.now().getTime() > 1_000) {
    return scheduleTimer(scope, until, { ...run, wake: (run.wake ?? 1) - 1 });
  }
  const id = `${run.batchId}.${run.runId}.${toTimerNumber(run)}`;
  await sendGrouped('RUNS_QUEUE_URL', [{ id, group: toFifoGroup(run), body: run }]);
}
