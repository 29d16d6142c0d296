import { log } from '../../../core/log.ts';
import { sendGrouped, setVisibility } from '../../../platform/aws/queues.ts';
import type { MessageDelivery } from './run-lease.ts';
import { messageOfRuns, type RunMessage } from './run-message.ts';

/** A run of a message. */
export interface Delivered extends MessageDelivery {
  /** Of the message. */
  id: string;
  receiptHandle: string;
  /** Its FIFO message group. */
  group: string;
  message: RunMessage;
  isLastOfMessage: boolean;
}

export interface Returned extends Delivered {
  pauseSeconds: number;
}

/**
 * The pause after the first delivery, the second and so on. The first is short, for a passing fault; then the message
 * moves to the dead-letter queue after 21 minutes. Without these, its slot would wait for the visibility timeout. SQS moves
 * it when it would deliver it once more, so the last pause is the shortest that there is.
 */
const pausesSeconds = [5, 60, 300, 900];
export const pauseAfter = (deliveries: number) => pausesSeconds[deliveries - 1] ?? 1;

/**
 * Sends runs anew, at the end of their group: the last of them is then likely to be the last of its slot.
 * @returns whether that succeeded.
 */
export async function handOver(rest: readonly Delivered[]): Promise<boolean> {
  const last = rest.at(-1);
  const messages = [...Map.groupBy(rest, ({ id }) => id)].map(([messageId, runs]) => {
    const body = messageOfRuns(
      runs.map((run) => (run === last ? { ...run.message, isLast: true as const } : run.message)),
    );
    return { id: `${messageId}.${body.runId}`, group: runs[0]?.group as string, body };
  });
  try {
    await sendGrouped('RUNS_QUEUE_URL', messages);
    return true;
  } catch (error) {
    log.warn('Records could not be left to another invocation', { error });
    return false;
  }
}

/** If it fails, the messages are delivered again after the visibility timeout. */
export async function setRetryTimes(returned: readonly Returned[]): Promise<void> {
  if (returned.length === 0) return;
  const messages = new Map(
    returned.map(({ receiptHandle, pauseSeconds }) => [
      receiptHandle,
      { receiptHandle, seconds: pauseSeconds },
    ]),
  );
  await setVisibility('RUNS_QUEUE_URL', [...messages.values()]).catch((error) =>
    log.warn('The next delivery of messages could not be set', { error }),
  );
}
