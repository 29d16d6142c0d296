import { withLogFields } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { setVisibility } from '../../platform/aws/queues.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Delivery, giveBackRuns, takeRun } from './run-lease.ts';
import { logFieldsOf, type RunMessage } from './run-message.ts';

export interface Delivered extends Delivery {
  id: string;
  receiptHandle: string;
  /** Its FIFO message group. */
  group: string;
  message: RunMessage;
}

export interface Returned extends Delivered {
  pauseSeconds: number;
}

/**
 * The pause after the first delivery, the second and so on. The first is short, for a passing fault; then the message
 * moves to the dead-letter queue after 21 minutes. Without these, its slot would wait for the visibility timeout.
 */
const pausesSeconds = [5, 60, 300, 900];
const pauseAfter = (deliveries: number) => pausesSeconds[deliveries - 1] ?? 900;

/** Runs the messages of a group in order. @returns from the first one on that failed or that another delivery runs. */
export async function runGroup(
  scope: Scope,
  group: readonly Delivered[],
  until: number,
  run: (delivered: Delivered, index: number) => Promise<void>,
): Promise<Returned[]> {
  for (const [index, delivered] of group.entries()) {
    const returned = await withLogFields(logFieldsOf(delivered.message), () =>
      runOne(scope, delivered, group.slice(index), until, () => run(delivered, index)),
    );
    if (returned.length > 0) return returned;
  }
  return [];
}

/** Runs one message. @returns it and the later ones of its group if it did not run to its end. */
async function runOne(
  scope: Scope,
  delivered: Delivered,
  rest: readonly Delivered[],
  until: number,
  run: () => Promise<void>,
): Promise<Returned[]> {
  const after = (pauseSeconds: number) => rest.map((each) => ({ ...each, pauseSeconds }));
  try {
    const heldUntil = await takeRun(scope, delivered, until);
    if (heldUntil !== undefined) {
      log.warn('An earlier delivery still runs this record');
      return after(Math.max(1, Math.ceil((heldUntil - scope.now().getTime()) / 1_000)));
    }
    await run();
    return [];
  } catch (error) {
    log.error('A record could not be run and will be retried', { error });
    const returned = after(pauseAfter(delivered.deliveries));
    await giveBackRuns(scope, returned).catch((cause) =>
      log.warn('Runs could not be given back; they resume when their leases end', { error: cause }),
    );
    return returned;
  }
}

/** If it fails, the messages are delivered again after the visibility timeout. */
export async function setRetryTimes(returned: readonly Returned[]): Promise<void> {
  if (returned.length === 0) return;
  await setVisibility(
    'RUNS_QUEUE_URL',
    returned.map(({ receiptHandle, pauseSeconds }) => ({ receiptHandle, seconds: pauseSeconds })),
  ).catch((error) => log.warn('The next delivery of messages could not be set', { error }));
}
