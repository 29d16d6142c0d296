import * as z from 'zod';
import { send, sendGrouped } from '../../platform/aws/queues.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { fifoGroupOf, RunMessage } from './run-message.ts';

/** Asks a worker to give a suspended run its message again at a time. */
export const TimerMessage = z.object({ at: z.string(), run: RunMessage });
export type TimerMessage = z.infer<typeof TimerMessage>;

/** SQS holds a message back this long at most; what sleeps longer is left to EventBridge Scheduler. */
const queueSecondsMax = 900;

/** Has a suspended run go on at a time. Asked twice, the run is woken twice, and finds nothing to do the second time. */
export async function scheduleTimer({ now }: Scope, until: Date, run: RunMessage): Promise<void> {
  const message: TimerMessage = {
    at: until.toISOString(),
    run: { ...run, wake: (run.wake ?? 0) + 1 },
  };
  const seconds = Math.ceil((until.getTime() - now().getTime()) / 1_000);
  if (seconds <= queueSecondsMax) {
    return send('WAKES_QUEUE_URL', message, { delaySeconds: Math.max(0, seconds) });
  }
  const { scheduleMessage } = await import('../../platform/aws/scheduler.ts');
  const name = `${run.runId}-${message.run.wake}`;
  await scheduleMessage({ name, at: until, queueEnv: 'WAKES_QUEUE_ARN', body: message });
}

/** Gives a run its message, in the lane that it was planned in, or waits on where its time has not come. */
export async function fireTimer(scope: Scope, { at, run }: TimerMessage): Promise<void> {
  const until = new Date(at);
  if (until.getTime() - scope.now().getTime() > 1_000) {
    return scheduleTimer(scope, until, { ...run, wake: (run.wake ?? 1) - 1 });
  }
  const id = `${run.batchId}.${run.runId}.${run.wake}`;
  await sendGrouped('RUNS_QUEUE_URL', [{ id, group: fifoGroupOf(run), body: run }]);
}
