/**
 * The messages of runs: their format, the timers that send them, and the lease that each delivery acquires.
 * A message carries one run and up to nine that follow in its slot (`joinRunMessages`, `splitRunMessage`). The slots of
 * a batch are FIFO groups.
 * Lease of a run: the first delivery has it without a write until `firstLeaseMs` after its first receipt; later
 * deliveries write it, with the number of the delivery as fencing token, and get it when the time of the one before is
 * over or its run was released.
 * A timer is an SQS delay up to 15 minutes, above that a one-time schedule of EventBridge. Names and deduplication ids
 * contain `wake` and `sending`, so that a run can send again what it has sent before.
 */
import * as z from 'zod';
import { log } from '../../core/log.ts';
import { unixSeconds } from '../../core/time.ts';
import { sendGrouped, sendMessage, setVisibility } from '../../platform/aws/queues.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';

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

/**
 * Tells apart what a run sends again: SQS would drop a second message, and EventBridge Scheduler a second schedule, with a
 * name that it knows.
 */
const toTimerNumber = ({ wake = 0, sending = 0 }: Pick<RunMessage, 'wake' | 'sending'>) =>
  sending > 0 ? `${wake}.${resendName(sending)}` : String(wake);

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

export interface MessageDelivery {
  runId: string;
  /** How often SQS has delivered the message: the fencing token. */
  deliveries: number;
  /** When SQS delivered it first, in Unix ms. */
  firstAt: number;
}

/** How long a first delivery holds its run: the timeout of `run-record` plus 30 s for transport and differing clocks. */
export const firstLeaseMs = 930_000;
const keptSeconds = 86_400;

/** Which delivery may run the run, from the second on. The lease of the first follows from the time of its delivery. */
const runLeaseEntity = defineEntity({
  type: 'runLease',
  schema: z.object({
    holder: z.int(),
    /** Unix ms. 0 after its release. */
    until: z.int(),
    ttl: z.int(),
  }),
  key: ({ runId }: { runId: string }) => ({ PK: tenantPartition(`RUN#${runId}`), SK: 'LEASE' }),
});

/**
 * Acquires the lease of a run, so that no two invocations run its steps at the same time. A first delivery in time costs no write, others one.
 * @param until When the invocation ends, in Unix ms.
 * @returns undefined, or the time (Unix ms) until which an earlier delivery holds the run.
 */
export async function acquireRunLease(
  { table, now }: Scope,
  { runId, deliveries, firstAt }: MessageDelivery,
  until: number,
): Promise<number | undefined> {
  const firstUntil = firstAt + firstLeaseMs;
  if (deliveries === 1 && until <= firstUntil) return;
  const at = now().getTime();
  const mayBeFirst = deliveries === 1 || at > firstUntil;
  const expression = mayBeFirst ? 'attribute_not_exists(#until) OR #until < :at' : '#until < :at';
  const changes = toLeaseChanges(deliveries, until, at);
  const write = table.writes.update(runLeaseEntity, { runId }, changes, { expression, values: { at } });
  try {
    await table.commit([write]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    const held = await table.get(runLeaseEntity, { runId }, { consistent: true });
    return held?.until ?? firstUntil;
  }
}

/** Releases runs that a later delivery continues. A run that another delivery leases does not affect the others. */
export async function releaseRunLeases(
  { table, now }: Scope,
  runs: readonly MessageDelivery[],
): Promise<void> {
  const at = now().getTime();
  // A run may have two messages in a group, if the sweeper has resent it.
  const latest = new Map(runs.map((run) => [run.runId, run.deliveries]));
  await Promise.all(
    [...latest].map(async ([runId, deliveries]) => {
      const write = table.writes.update(runLeaseEntity, { runId }, toLeaseChanges(deliveries, 0, at), {
        expression: 'attribute_not_exists(#holder) OR #holder <= :deliveries OR #until < :at',
        values: { deliveries, at },
      });
      await table.commit([write]).catch((error) => {
        if (!(error instanceof ConditionFailed)) throw error;
      });
    }),
  );
}

const toLeaseChanges = (holder: number, until: number, at: number) => ({
  set: { holder, until, ttl: unixSeconds(new Date(at)) + keptSeconds },
});
