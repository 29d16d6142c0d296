/**
 * Runs the messages of one SQS FIFO group (a slot of a batch): leases, order, permits of the batch's share.
 * The worker `run-record` calls `runGroup` for each group. Of a run: acquire its lease (`run-lease.ts`), ask for a
 * permit (`openSlotPermits`), run it (`run-record.ts`), store its end. The next run of a lane begins when the one before
 * has ended, at most `unstoredMax` of them before they are stored. A failure returns its run and all later ones to the
 * queue, and releases their leases.
 * A slot without a permit sends its runs anew behind its first message, and holds that one invisible until
 * `releaseSlots` deletes it (`slot-sharing.ts`). Late runs are sent anew too, for another invocation.
 * A crash leaves the messages, which become visible again: the lease fences the old process off, and runs whose end is
 * stored do nothing. A permit of a crashed slot stays until the sweep finds its batch stalled.
 */
import type { SQSEvent } from 'aws-lambda';
import { delayFlush, gatherCalls } from '../../core/concurrency/gather.ts';
import { runWithLogFields } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { deleteMessages } from '../../platform/aws/queues.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { WriteCondition } from '../../platform/data/writes.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { type Batch, batchEntity } from '../batches/batch.ts';
import type { Ran } from '../batches/group-commit.ts';
import type { RecordJob } from '../batches/record-jobs.ts';
import { acquireRunLease, type MessageDelivery, releaseRunLeases } from '../batches/run-lease.ts';
import {
  type Delivered,
  type DeliveredRuns,
  getPauseSeconds,
  type Returned,
  readDelivered,
  requeueRuns,
  setRetryTimes,
  toRunLogFields,
} from '../batches/run-message.ts';
import {
  countUsablePermits,
  getSlotPermit,
  heldSeconds,
  releaseSlots,
  type SharedBatch,
  slotDivider,
} from '../batches/slot-sharing.ts';

export interface InvocationWork {
  /** When the invocation ends, in Unix ms. */
  until: number;
  /** @returns how many of these runs of a group may run at a time from now on. */
  getWidth: (rest: DeliveredRuns) => Promise<number>;
  /**
   * @param rest The run and the later ones of its group.
   * @returns when the end of the run is stored, or that its slot may not run now.
   */
  run: (rest: DeliveredRuns) => Promise<Ran | 'held'>;
  /** Remembers the message that holds its slot. @returns whether it holds it: not if the slot may run by now. */
  hold: (delivered: Delivered) => Promise<boolean>;
  /** Called when all runs of a message are stored. */
  onMessageDone: (delivered: Delivered) => void;
}

/**
 * Runs what is left of a group in lanes. A message with a run to return is returned as a whole; it is done once all of its
 * runs are.
 * @param width How many lanes the slot has then.
 */
async function runLanes(
  scope: Scope,
  group: readonly Delivered[],
  lanes: readonly DeliveredRuns[],
  width: number,
  work: InvocationWork,
): Promise<Returned[]> {
  const open = new Map<string, number>();
  for (const { id, isLastOfMessage } of lanes.flat()) {
    if (isLastOfMessage) open.set(id, (open.get(id) ?? 0) + 1);
  }
  const onMessageDone = (delivered: Delivered) => {
    const left = (open.get(delivered.id) ?? 0) - 1;
    open.set(delivered.id, left);
    if (left === 0) work.onMessageDone(delivered);
  };
  const [[first] = []] = lanes;
  // One message holds a slot.
  const hold = async (held: Delivered) => held.runId === first?.runId && work.hold(held);
  const all = lanes.map((lane) => runGroup(scope, lane, { ...work, onMessageDone, hold }, width));
  const returned = (await Promise.all(all)).flat();
  const ids = new Set(returned.map(({ id }) => id));
  const runs = new Set(returned.map(({ runId }) => runId));
  // A lane releases the leases of its own runs.
  await releaseRuns(
    scope,
    group.filter(({ id, runId }) => ids.has(id) && !runs.has(runId)),
  );
  return returned;
}

/** Deals the runs to the lanes in turn. Runs of a message that comes twice stay together: only their second delivery takes a lease. */
function divideIntoLanes(group: DeliveredRuns, width: number): DeliveredRuns[] {
  if (width <= 1 || new Set(group.map(({ runId }) => runId)).size < group.length) return [group];
  const lanes = Map.groupBy(group.entries(), ([index]) => index % width).values();
  return [...lanes].map((lane) => {
    const runs = lane.map(([, delivered]) => delivered);
    return runs.map((run, index) => ({
      ...run,
      isLastOfMessage: runs[index + 1]?.id !== run.id,
    })) as unknown as DeliveredRuns;
  });
}

/** What an invocation has left, at least, for each run after the first of a group. */
const leftMsMin = 600_000;

/** How many runs of a group may have ended and not be stored: a crash repeats their steps without outside effects (D49). */
const unstoredMax = 8;

/**
 * Runs a group in order: a run begins when the one before has ended, which may be stored later. What is left is divided
 * into lanes as soon as the slot may run more at a time. What would begin late goes to another invocation.
 * @param lanes How many lanes the slot has already, if the group is one of them.
 * @returns from the first run on that failed or that another delivery runs.
 */
export async function runGroup(
  scope: Scope,
  group: DeliveredRuns,
  work: InvocationWork,
  lanes = 1,
): Promise<Returned[]> {
  let mayHandOver = true;
  /** Of each run whose end may not be stored yet: what it and the ones before it return. */
  const unstored: Promise<readonly Returned[]>[] = [];
  let stored: Promise<readonly Returned[]> = Promise.resolve([]);
  const awaitOldest = async () => (await unstored.shift()) ?? [];
  for (const [index, delivered] of group.entries()) {
    const rest = [delivered, ...group.slice(index + 1)] as const;
    const isLate = index > 0 && work.until - scope.now().getTime() < leftMsMin;
    if (isLate && mayHandOver) {
      if ((await stored).length > 0) break;
      mayHandOver = await requeueRuns(rest);
      if (mayHandOver) {
        for (const each of rest) if (each.isLastOfMessage) work.onMessageDone(each);
        return [];
      }
    }
    if (unstored.length === unstoredMax && (await awaitOldest()).length > 0) break;
    const before = group.slice(0, index);
    const isSentTwice = before.some(({ runId }) => runId === delivered.runId);
    if (isSentTwice && (await stored).length > 0) break;
    const width = Math.floor((await work.getWidth(rest)) / lanes);
    const divided = divideIntoLanes(rest, width);
    if (divided.length > 1) {
      if ((await stored).length > 0) break;
      return runLanes(scope, group, divided, lanes * width, work);
    }
    const earlier = before.filter(({ id }) => id === delivered.id);
    const ran = await runWithLogFields(toRunLogFields(delivered.message), () =>
      runOne(scope, { earlier, rest }, work.until, () => work.run(rest)),
    );
    if (ran.isHeld) {
      const before = await stored;
      return before.length > 0 ? [...before] : hold(rest, work);
    }
    stored = collectReturned(
      stored,
      ran.stored,
      () => delivered.isLastOfMessage && work.onMessageDone(delivered),
    );
    unstored.push(stored);
    if (!ran.hasEnded) break;
  }
  return [...(await stored)];
}

/** Sends the rest of a slot anew, behind its first message, which stays until the slot is released. */
async function hold(rest: DeliveredRuns, work: InvocationWork): Promise<Returned[]> {
  const [first] = rest;
  if (!(await requeueRuns(rest)))
    return rest.map((each) => ({ ...each, pauseSeconds: getPauseSeconds(each.deliveries) }));
  for (const each of rest) if (each.isLastOfMessage && each.id !== first.id) work.onMessageDone(each);
  // Delivered again, it has held the slot for long: the next message does.
  if (first.deliveries === 1 && (await work.hold(first))) return [{ ...first, pauseSeconds: heldSeconds }];
  work.onMessageDone(first);
  return [];
}

/** What the earlier runs return, else what this one does. */
async function collectReturned(
  earlier: Promise<readonly Returned[]>,
  current: Promise<readonly Returned[]>,
  onDone: () => void,
): Promise<readonly Returned[]> {
  const [before, returned] = await Promise.all([earlier, current]);
  if (before.length > 0) return before;
  if (returned.length === 0) onDone();
  return returned;
}

interface GroupPosition {
  /** The runs of the same message that are done: with it, they are delivered again. */
  earlier: readonly Delivered[];
  /** The run and the later ones of its group. */
  rest: DeliveredRuns;
}

const releaseRuns = (scope: Scope, runs: readonly MessageDelivery[]) =>
  releaseRunLeases(scope, runs).catch((cause) =>
    log.warn('Runs could not be given back; they resume when their leases end', { error: cause }),
  );

/** Returns the runs of an event whose process has died: others run them after a pause. */
export async function returnMessages({ scopeOf }: Runtime, event: SQSEvent): Promise<void> {
  const delivered = readDelivered(event);
  const byTenant = Map.groupBy(delivered, ({ message }) => message.tenant);
  await Promise.all(Array.from(byTenant, ([tenant, runs]) => releaseRuns(scopeOf(tenant), runs)));
  await setRetryTimes(delivered.map((each) => ({ ...each, pauseSeconds: getPauseSeconds(each.deliveries) })));
}

/** Runs one record. @returns whether it ran to its end; if that cannot be stored, it and the later ones of its group. */
async function runOne(
  scope: Scope,
  { earlier, rest }: GroupPosition,
  until: number,
  run: () => Promise<Ran | 'held'>,
): Promise<{ hasEnded: boolean; isHeld?: boolean; stored: Promise<readonly Returned[]> }> {
  const [delivered] = rest;
  const toReturned = (pauseSeconds: number) => rest.map((each) => ({ ...each, pauseSeconds }));
  const fail = async (error: unknown) => {
    log.error('A record could not be run and will be retried', { error });
    const returned = toReturned(getPauseSeconds(delivered.deliveries));
    await releaseRuns(scope, [...earlier, ...returned]);
    return returned;
  };
  try {
    const heldUntil = await acquireRunLease(scope, delivered, until);
    if (heldUntil !== undefined) {
      log.warn('An earlier delivery still runs this record');
      await releaseRuns(scope, earlier);
      const seconds = Math.max(1, Math.ceil((heldUntil - scope.now().getTime()) / 1_000));
      return { hasEnded: false, stored: Promise.resolve(toReturned(seconds)) };
    }
    const ran = await run();
    if (ran === 'held') {
      if (delivered.deliveries > 1) await releaseRuns(scope, [delivered]);
      return { hasEnded: false, isHeld: true, stored: Promise.resolve([]) };
    }
    const { stored } = ran;
    return { hasEnded: true, stored: stored.then(() => [], fail) };
  } catch (error) {
    return { hasEnded: false, stored: fail(error) };
  }
}

/** Each refusal means that another process was quicker, of which there are 50 at most. */
const triesMax = 100;

interface Request {
  slot: number;
  /** Whether the slot asks for a permit, or passes its own on. */
  kind: 'acquire' | 'release';
}

/** The permits that slots acquire and release in the share of their batch. The requests of an invocation are written together. */
export function openSlotPermits(scope: Scope) {
  const ofBatches = new Map<string, (request: Request) => Promise<boolean>>();

  function requestPermit(batchId: string, slot: number, kind: Request['kind']): Promise<boolean> {
    const request =
      ofBatches.get(batchId) ??
      gatherCalls((requests: readonly Request[]) => answerRequests(batchId, requests), { inTurn: true });
    ofBatches.set(batchId, request);
    return request({ slot, kind });
  }

  function answerRequests(batchId: string, requests: readonly Request[]): Promise<boolean>[] {
    const settling = settleRequests(scope, batchId, requests).catch((error): boolean[] => {
      log.warn('The slots of a batch could not take or give up their places', { error, batchId });
      return [];
    });
    return requests.map(async (_, index) => (await settling)[index] ?? true);
  }

  return {
    /** Runs a record if its slot has a permit or acquires one; releases the permit of a slot that has no more records. */
    async run({ batch, message }: Pick<RecordJob, 'batch' | 'message'>, run: () => Promise<Ran>) {
      if (batch?.slotShare === undefined) return run();
      const { polls, restarts, slot, isLast } = message;
      // What has waited runs beyond the share.
      const isFree = polls !== undefined || restarts !== undefined;
      const permit = isFree ? 'has' : getSlotPermit(batch, slot);
      const mayRun = permit === 'may' ? await requestPermit(batch.id, slot, 'acquire') : permit === 'has';
      if (!mayRun) return 'held' as const;
      const ran = await run();
      if (!isLast) return ran;
      return { stored: ran.stored.then(() => requestPermit(batch.id, slot, 'release')).then(() => {}) };
    },
  };
}

/** @returns for each request whether its slot may run. */
async function settleRequests(
  scope: Scope,
  batchId: string,
  requests: readonly Request[],
): Promise<boolean[]> {
  const { table } = scope;
  for (let tries = 0; tries < triesMax; tries++) {
    const batch = await table.get(batchEntity, { id: batchId }, { consistent: true });
    if (batch?.slotShare === undefined) break;
    const { claimedSlots, endedSlots, answers } = applyRequests(batch, requests);
    const hasPassed = (batch.claimedSlots ?? []).some((slot) => !claimedSlots.includes(slot));
    if (hasPassed || claimedSlots.length !== (batch.claimedSlots?.length ?? 0)) {
      const write = table.writes.update(
        batchEntity,
        batch,
        { set: { claimedSlots, endedSlots } },
        isSame(batch),
      );
      if (!(await table.commit([write]).then(() => true, onConditionFailed(false)))) continue;
    }
    if (hasPassed) await transferPermits(scope, { ...batch, claimedSlots, endedSlots });
    return answers;
  }
  return requests.map(() => true);
}

function applyRequests(batch: SharedBatch, requests: readonly Request[]) {
  const { claimedSlots = [], endedSlots = [] } = batch;
  const releases = requests.filter(({ kind, slot }) => kind === 'release' && claimedSlots.includes(slot));
  const ended = new Set(releases.map(({ slot }) => slot));
  const after = {
    ...batch,
    claimedSlots: claimedSlots.filter((slot) => !ended.has(slot)),
    endedSlots: [...new Set([...endedSlots, ...ended])],
  };
  const answers = requests.map(({ kind, slot }) => {
    if (kind === 'release') return true;
    const permit = getSlotPermit(after, slot);
    if (permit === 'may') {
      after.claimedSlots.push(slot);
      after.endedSlots = after.endedSlots.filter((each) => each !== slot);
    }
    return permit !== 'none';
  });
  return { claimedSlots: after.claimedSlots, endedSlots: after.endedSlots, answers };
}

const isSame = ({ slotShare, claimedSlots }: SharedBatch): WriteCondition => ({
  expression: `#slotShare = :share AND ${claimedSlots ? '#claimedSlots = :before' : 'attribute_not_exists(#claimedSlots)'}`,
  values: { share: slotShare, ...(claimedSlots && { before: claimedSlots }) },
});

/** Gives released permits to held slots, and what those cannot use to other batches. */
async function transferPermits(scope: Scope, batch: Batch): Promise<void> {
  const { id, slotShare = 0 } = batch;
  await releaseSlots(scope, id);
  const usable = countUsablePermits(batch);
  if (usable < slotShare) await slotDivider(scope).shrink(id, usable);
}

/** How long a message that is done waits for the end of its invocation. */
const waitMs = 250;

/**
 * Deletes messages that are done while other groups of their invocation still run: their own group could not go on
 * before. Lambda deletes the others, and these a second time, which does nothing.
 */
export function openEarlyDeletes() {
  const done: string[] = [];
  const soon = delayFlush(() =>
    deleteMessages('RUNS_QUEUE_URL', done.splice(0)).catch((error) =>
      log.warn('Messages that are done could not be deleted early', { error }),
    ),
  );
  return {
    add(receiptHandle: string) {
      done.push(receiptHandle);
      soon.start(waitMs);
    },
    [Symbol.dispose]: soon.stop,
  };
}
