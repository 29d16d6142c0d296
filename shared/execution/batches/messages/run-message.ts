import * as z from 'zod';

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

/** A tenth of those that its slot has in a page of the plan, at most ten. */
export const recordsPerMessage = (ofSlot: number): number =>
  Math.min(recordsPerMessageMax, Math.ceil(ofSlot / 10));

/** The runs of a message in their order, as messages of their own. */
export function runsOfMessage({ next = [], ...first }: RunMessage): RunMessage[] {
  const { isLast: _isLast, ...same } = first;
  return [first, ...next.map((each) => ({ ...same, ...each }))];
}

/** One message for runs that differ in their records alone. */
export function messageOfRuns([first, ...rest]: readonly RunMessage[]): RunMessage {
  if (!first) throw new TypeError('A message has a run');
  const next = rest.map(({ recordId, runId, isLast }) => ({
    recordId: recordId as string,
    runId,
    ...(isLast && { isLast }),
  }));
  return next.length > 0 ? { ...first, next } : first;
}

export const runLogFields = ({ tenant, batchId, runId, recordId, flowId }: RunMessage) => ({
  tenant,
  batchId,
  executionId: runId,
  recordId,
  flowId,
});

/**
 * Tells apart what a run sends again: SQS would drop a second message, and EventBridge Scheduler a second schedule, with a
 * name that it knows.
 */
export const timerNumber = ({ wake = 0, sending = 0 }: Pick<RunMessage, 'wake' | 'sending'>) =>
  sending > 0 ? `${wake}.${resendName(sending)}` : String(wake);

/** Names a resend of the messages of a batch. */
export const resendName = (sending: number) => `again-${sending}`;

/** The messages of a slot form one FIFO message group. */
export const fifoGroup = ({ batchId, slot }: Pick<RunMessage, 'batchId' | 'slot'>) => `${batchId}.${slot}`;
