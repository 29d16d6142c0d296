/**
 * The messages of runs, and how they return to the queue.
 * A message carries one run and up to nine that follow in its slot (`joinRunMessages`, `splitRunMessage`). The slots of
 * a batch are FIFO groups, so SQS delivers the messages of a slot one after another.
 * A run that fails returns with its whole message: `setRetryTimes` sets when SQS delivers it again (`getPauseSeconds`).
 * Runs that another invocation is to take are sent anew, at the end of their group (`requeueRuns`); if that fails, they
 * return too. If setting the time fails, or after a crash, the visibility timeout returns the messages.
 * Who may run a delivered run is in `run-lease.ts`; timers that send messages later are in `run-timer.ts`. Planning
 * sends messages (`batch-plan.ts`), the worker `run-record` receives them.
 */
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { log } from '../../core/log.ts';
import { sendGrouped, setVisibility } from '../../platform/aws/queues.ts';
import { parseMessages } from '../../platform/aws/worker.ts';
import type { MessageDelivery } from './run-lease.ts';

/** Asks a worker to run a batch's flow on one record, and then on some more of its slot. */
export const RunMessage = z.object({
  tenant: z.string(),
  batchId: z.string(),
  flowId: z.string(),
  /** Null if the run's record is not stored. */
  recordId: z.string().nullable(),
  /** The execution of this record in this batch. Planning again yields the same id. */
  runId: z.string(),
  slot: z.int(),
  /** Whether it is likely to be the last of its slot, after which the batch may be over. */
  isLast: z.literal(true).optional(),
  /** How many timers the run has set. (The queues and stored names call a timer a wake.) */
  wake: z.int().optional(),
  /** How many of them its present wait has set. */
  polls: z.int().optional(),
  /** How often it was retried from the dead-letter queue. */
  restarts: z.int().optional(),
  /** Counts the resends of its batch's messages, if there were any. */
  sending: z.int().optional(),
  /** Whether it takes results of earlier runs. */
  takesEarlier: z.literal(true).optional(),
  /** The runs that follow in the slot. */
  next: z
    .array(z.object({ recordId: z.string(), runId: z.string(), isLast: z.literal(true).optional() }))
    .optional(),
});
export type RunMessage = z.infer<typeof RunMessage>;

const recordsPerMessageMax = 10;

/** All of those that its slot has in a page of the plan, at most ten (D48). */
export const getRecordsPerMessage = (ofSlot: number): number => Math.min(recordsPerMessageMax, ofSlot);

/** The runs of a message in their order, as messages of their own. */
export function splitRunMessage({ next = [], ...first }: RunMessage): RunMessage[] {
  const { isLast: _isLast, ...same } = first;
  return [first, ...next.map((each) => ({ ...same, ...each }))];
}

/** One message for runs that differ in their records alone. */
export function joinRunMessages([first, ...rest]: readonly RunMessage[]): RunMessage {
  if (!first) throw new TypeError('A message has a run');
  const next = rest.map(({ recordId, runId, isLast }) => ({
    recordId: recordId as string,
    runId,
    ...(isLast && { isLast }),
  }));
  return next.length > 0 ? { ...first, next } : first;
}

export const toRunLogFields = ({ tenant, batchId, runId, recordId, flowId }: RunMessage) => ({
  tenant,
  batchId,
  executionId: runId,
  recordId,
  flowId,
});

/** Names a resend of the messages of a batch. */
export const resendName = (sending: number) => `again-${sending}`;

/** The messages of a slot form one FIFO message group. */
export const toFifoGroup = ({ batchId, slot }: Pick<RunMessage, 'batchId' | 'slot'>) => `${batchId}.${slot}`;

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

/** The runs of the messages of an event. */
export const readDelivered = (event: SQSEvent): Delivered[] =>
  parseMessages(RunMessage, event).flatMap(({ record: { messageId, receiptHandle, attributes }, message }) =>
    splitRunMessage(message).map((run, index, runs) => ({
      id: messageId,
      receiptHandle,
      group: attributes.MessageGroupId ?? messageId,
      runId: run.runId,
      deliveries: Number(attributes.ApproximateReceiveCount),
      firstAt: Number(attributes.ApproximateFirstReceiveTimestamp),
      message: run,
      isLastOfMessage: index === runs.length - 1,
    })),
  );

/** A run and the later ones of its group. */
export type DeliveredRuns = readonly [Delivered, ...Delivered[]];

export interface Returned extends Delivered {
  pauseSeconds: number;
}

/**
 * The pause after the first delivery, the second and so on. The first is short, for a passing fault; then the message
 * moves to the dead-letter queue after 21 minutes. Without these, its slot would wait for the visibility timeout. SQS moves
 * it when it would deliver it once more, so the last pause is the shortest that there is.
 */
const pausesSeconds = [5, 60, 300, 900];
export const getPauseSeconds = (deliveries: number) => pausesSeconds[deliveries - 1] ?? 1;

/**
 * Sends runs anew, at the end of their group: the last of them is then likely to be the last of its slot.
 * @returns whether that succeeded.
 */
export async function requeueRuns(rest: readonly Delivered[]): Promise<boolean> {
  const last = rest.at(-1);
  const messages = [...Map.groupBy(rest, ({ id }) => id)].map(([messageId, runs]) => {
    const body = joinRunMessages(
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
