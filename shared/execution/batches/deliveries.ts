import { withLogFields } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { sendGrouped, setVisibility } from '../../platform/aws/queues.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Delivery, giveBackRuns, takeRun } from './run-lease.ts';
import { logFieldsOf, messageOf, type RunMessage } from './run-message.ts';

/** A run of a message. */
export interface Delivered extends Delivery {
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

export interface Work {
  /** When the invocation ends, in Unix ms. */
  until: number;
  /** @param rest The run and the later ones of its group. */
  run: (rest: readonly [Delivered, ...Delivered[]]) => Promise<void>;
  /** Called when all runs of a message are done. */
  done: (delivered: Delivered) => void;
}

/**
 * The pause after the first delivery, the second and so on. The first is short, for a passing fault; then the message
 * moves to the dead-letter queue after 21 minutes. Without these, its slot would wait for the visibility timeout.
 */
const pausesSeconds = [5, 60, 300, 900];
const pauseAfter = (deliveries: number) => pausesSeconds[deliveries - 1] ?? 900;

/** What an invocation has left, at least, for each run after the first of a group. */
const leftMsMin = 600_000;

/**
 * Runs a group in order. What would begin late goes to another invocation.
 * @returns from the first run on that failed or that another delivery runs.
 */
export async function runGroup(scope: Scope, group: readonly Delivered[], work: Work): Promise<Returned[]> {
  let mayHandOver = true;
  for (const [index, delivered] of group.entries()) {
    const rest = [delivered, ...group.slice(index + 1)] as const;
    const isLate = index > 0 && work.until - scope.now().getTime() < leftMsMin;
    if (isLate && mayHandOver) {
      mayHandOver = await handOver(rest);
      if (mayHandOver) {
        for (const each of rest) if (each.isLastOfMessage) work.done(each);
        return [];
      }
    }
    const earlier = group.slice(0, index).filter(({ id }) => id === delivered.id);
    const returned = await withLogFields(logFieldsOf(delivered.message), () =>
      runOne(scope, { earlier, rest }, work.until, () => work.run(rest)),
    );
    if (returned.length > 0) return returned;
    if (delivered.isLastOfMessage) work.done(delivered);
  }
  return [];
}

/** Sends runs anew, at the end of their group. @returns whether that succeeded. */
async function handOver(rest: readonly Delivered[]): Promise<boolean> {
  const messages = [...Map.groupBy(rest, ({ id }) => id)].map(([messageId, runs]) => {
    const body = messageOf(runs.map(({ message }) => message));
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

interface Place {
  /** The runs of the same message that are done: with it, they are delivered again. */
  earlier: readonly Delivered[];
  /** The run and the later ones of its group. */
  rest: readonly [Delivered, ...Delivered[]];
}

/** Runs one record. @returns it and the later ones of its group if it did not run to its end. */
async function runOne(
  scope: Scope,
  { earlier, rest }: Place,
  until: number,
  run: () => Promise<void>,
): Promise<Returned[]> {
  const [delivered] = rest;
  const after = (pauseSeconds: number) => rest.map((each) => ({ ...each, pauseSeconds }));
  const giveBack = (runs: readonly Delivery[]) =>
    giveBackRuns(scope, runs).catch((cause) =>
      log.warn('Runs could not be given back; they resume when their leases end', { error: cause }),
    );
  try {
    const heldUntil = await takeRun(scope, delivered, until);
    if (heldUntil !== undefined) {
      log.warn('An earlier delivery still runs this record');
      await giveBack(earlier);
      return after(Math.max(1, Math.ceil((heldUntil - scope.now().getTime()) / 1_000)));
    }
    await run();
    return [];
  } catch (error) {
    log.error('A record could not be run and will be retried', { error });
    const returned = after(pauseAfter(delivered.deliveries));
    await giveBack([...earlier, ...returned]);
    return returned;
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
