import { eventLoopYielder } from '../../core/concurrency/event-loop.ts';
import { forEachConcurrently } from '../../core/concurrency/for-each-concurrently.ts';

/**
 * What a run may take of its process, over all its levels: how many steps it runs, how many of its lists go on at once, and
 * how long it holds the event loop. Lists in lists multiply, so that a bound of each would bound nothing.
 */
export interface RunBounds {
  /** Called before each step. Wait for what it returns: other work is due. @throws TooManySteps */
  beginStep: () => Promise<void> | undefined;
  /** Counts steps that an earlier attempt of the run has done. @throws TooManySteps */
  countSteps: (count: number) => void;
  /** Each list that a step holds, `atOnce` of them at once as far as the lists around leave room. */
  forEach: <T>(items: Iterable<T>, atOnce: number, work: (item: T) => Promise<void>) => Promise<void>;
}

/** How many steps a run may have, those of its branches, items, passes and inner flows included. */
const runStepsMax = 100_000;
/** How many branches and items of a run go on at once, over all levels. */
const listsAtOnceMax = 50;

/** Ends the run: a step that goes on after failures would otherwise go on for each of its items. */
export class TooManySteps extends Error {
  constructor(stepsMax: number) {
    const most = stepsMax.toLocaleString('en');
    super(
      `The run has more than ${most} steps, those of branches, items, passes and inner flows included. Give the lists fewer items, or run the flow on records`,
    );
  }
}

export function openRunBounds(signal: AbortSignal, stepsMax = runStepsMax): RunBounds {
  const yieldIfDue = eventLoopYielder(signal);
  let steps = 0;
  let lists = 0;
  const countSteps = (count: number) => {
    steps += count;
    if (steps > stepsMax) throw new TooManySteps(stepsMax);
  };
  // The first list of each step needs no permit, so that steps in steps never wait for each other.
  const permits = {
    tryAcquire: () => lists < listsAtOnceMax && ++lists > 0,
    release: () => void lists--,
  };
  return {
    countSteps,
    beginStep() {
      countSteps(1);
      return yieldIfDue();
    },
    forEach: (items, atOnce, work) => forEachConcurrently(items, atOnce, work, permits),
  };
}
