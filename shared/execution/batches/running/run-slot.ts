import { withLogFields } from '../../../core/invocation.ts';
import { log } from '../../../core/log.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { heldSeconds } from '../concurrency/slot-sharing.ts';
import { type Delivered, handOver, pauseAfter, type Returned } from '../messages/delivered-runs.ts';
import { giveBackRuns, type MessageDelivery, takeRun } from '../messages/run-lease.ts';
import { runLogFields } from '../messages/run-message.ts';
import type { Ran } from './group-commit.ts';

export interface InvocationWork {
  /** When the invocation ends, in Unix ms. */
  until: number;
  /**
   * @param rest The run and the later ones of its group.
   * @returns when the end of the run is stored, or that its slot may not run now.
   */
  run: (rest: readonly [Delivered, ...Delivered[]]) => Promise<Ran | 'held'>;
  /** Remembers the message that holds its slot. @returns whether it holds it: not if the slot may run by now. */
  hold: (delivered: Delivered) => Promise<boolean>;
  /** Called when all runs of a message are stored. */
  done: (delivered: Delivered) => void;
}

type Runs = readonly [Delivered, ...Delivered[]];

/**
 * Runs a group, so many runs of it at a time. A message that has a run to return is returned as a whole, and is done once all of its
 * runs are.
 */
export async function runGroup(
  scope: Scope,
  group: Runs,
  width: number,
  work: InvocationWork,
): Promise<Returned[]> {
  const lanes = lanesOf(group, width);
  if (lanes.length === 1) return runSlot(scope, group, work);
  const open = new Map<string, number>();
  for (const { id, isLastOfMessage } of lanes.flat()) {
    if (isLastOfMessage) open.set(id, (open.get(id) ?? 0) + 1);
  }
  const done = (delivered: Delivered) => {
    const left = (open.get(delivered.id) ?? 0) - 1;
    open.set(delivered.id, left);
    if (left === 0) work.done(delivered);
  };
  const [first] = group;
  // One message holds a slot.
  const hold = async (held: Delivered) => held.runId === first.runId && work.hold(held);
  const all = lanes.map((lane) => runSlot(scope, lane, { ...work, done, hold }));
  const returned = (await Promise.all(all)).flat();
  const ids = new Set(returned.map(({ id }) => id));
  const runs = new Set(returned.map(({ runId }) => runId));
  // A lane gives back its own runs.
  await giveBack(
    scope,
    group.filter(({ id, runId }) => ids.has(id) && !runs.has(runId)),
  );
  return returned;
}

/** In turns. The runs of a message that comes twice stay together: only their second delivery takes a lease. */
function lanesOf(group: Runs, width: number): Runs[] {
  if (width === 1 || new Set(group.map(({ runId }) => runId)).size < group.length) return [group];
  const lanes = Map.groupBy(group.entries(), ([index]) => index % width).values();
  return [...lanes].map((lane) => {
    const runs = lane.map(([, delivered]) => delivered);
    return runs.map((run, index) => ({
      ...run,
      isLastOfMessage: runs[index + 1]?.id !== run.id,
    })) as unknown as Runs;
  });
}

/** What an invocation has left, at least, for each run after the first of a group. */
const leftMsMin = 600_000;

/** How many runs of a group may have ended and not be stored: a crash repeats their steps without outside effects. */
const unstoredMax = 8;

/**
 * Runs a group in order: a run begins when the one before has ended, which may be stored later. What would begin late goes
 * to another invocation.
 * @returns from the first run on that failed or that another delivery runs.
 */
async function runSlot(scope: Scope, group: readonly Delivered[], work: InvocationWork): Promise<Returned[]> {
  let mayHandOver = true;
  /** Of each run whose end may not be stored yet: what it and the ones before it return. */
  const unstored: Promise<readonly Returned[]>[] = [];
  let stored: Promise<readonly Returned[]> = Promise.resolve([]);
  const oldest = async () => (await unstored.shift()) ?? [];
  for (const [index, delivered] of group.entries()) {
    const rest = [delivered, ...group.slice(index + 1)] as const;
    const isLate = index > 0 && work.until - scope.now().getTime() < leftMsMin;
    if (isLate && mayHandOver) {
      if ((await stored).length > 0) break;
      mayHandOver = await handOver(rest);
      if (mayHandOver) {
        for (const each of rest) if (each.isLastOfMessage) work.done(each);
        return [];
      }
    }
    if (unstored.length === unstoredMax && (await oldest()).length > 0) break;
    const before = group.slice(0, index);
    const isSentTwice = before.some(({ runId }) => runId === delivered.runId);
    if (isSentTwice && (await stored).length > 0) break;
    const earlier = before.filter(({ id }) => id === delivered.id);
    const own = await withLogFields(runLogFields(delivered.message), () =>
      runOne(scope, { earlier, rest }, work.until, () => work.run(rest)),
    );
    if (own.isHeld) {
      const before = await stored;
      return before.length > 0 ? [...before] : hold(rest, work);
    }
    stored = inOrder(stored, own.stored, () => delivered.isLastOfMessage && work.done(delivered));
    unstored.push(stored);
    if (!own.hasEnded) break;
  }
  return [...(await stored)];
}

/** Sends the rest of a slot anew, behind its first message, which stays until the slot is released. */
async function hold(rest: readonly [Delivered, ...Delivered[]], work: InvocationWork): Promise<Returned[]> {
  const [first] = rest;
  if (!(await handOver(rest)))
    return rest.map((each) => ({ ...each, pauseSeconds: pauseAfter(each.deliveries) }));
  for (const each of rest) if (each.isLastOfMessage && each.id !== first.id) work.done(each);
  // Delivered again, it has held the slot for long: the next message does.
  if (first.deliveries === 1 && (await work.hold(first))) return [{ ...first, pauseSeconds: heldSeconds }];
  work.done(first);
  return [];
}

/** What the earlier runs return, else what this one does. */
async function inOrder(
  earlier: Promise<readonly Returned[]>,
  own: Promise<readonly Returned[]>,
  done: () => void,
): Promise<readonly Returned[]> {
  const [before, returned] = await Promise.all([earlier, own]);
  if (before.length > 0) return before;
  if (returned.length === 0) done();
  return returned;
}

interface Place {
  /** The runs of the same message that are done: with it, they are delivered again. */
  earlier: readonly Delivered[];
  /** The run and the later ones of its group. */
  rest: readonly [Delivered, ...Delivered[]];
}

const giveBack = (scope: Scope, runs: readonly MessageDelivery[]) =>
  giveBackRuns(scope, runs).catch((cause) =>
    log.warn('Runs could not be given back; they resume when their leases end', { error: cause }),
  );

/** Runs one record. @returns whether it ran to its end; if that cannot be stored, it and the later ones of its group. */
async function runOne(
  scope: Scope,
  { earlier, rest }: Place,
  until: number,
  run: () => Promise<Ran | 'held'>,
): Promise<{ hasEnded: boolean; isHeld?: boolean; stored: Promise<readonly Returned[]> }> {
  const [delivered] = rest;
  const after = (pauseSeconds: number) => rest.map((each) => ({ ...each, pauseSeconds }));
  const fail = async (error: unknown) => {
    log.error('A record could not be run and will be retried', { error });
    const returned = after(pauseAfter(delivered.deliveries));
    await giveBack(scope, [...earlier, ...returned]);
    return returned;
  };
  try {
    const heldUntil = await takeRun(scope, delivered, until);
    if (heldUntil !== undefined) {
      log.warn('An earlier delivery still runs this record');
      await giveBack(scope, earlier);
      const seconds = Math.max(1, Math.ceil((heldUntil - scope.now().getTime()) / 1_000));
      return { hasEnded: false, stored: Promise.resolve(after(seconds)) };
    }
    const ran = await run();
    if (ran === 'held') {
      if (delivered.deliveries > 1) await giveBack(scope, [delivered]);
      return { hasEnded: false, isHeld: true, stored: Promise.resolve([]) };
    }
    const { stored } = ran;
    return { hasEnded: true, stored: stored.then(() => [], fail) };
  } catch (error) {
    return { hasEnded: false, stored: fail(error) };
  }
}
