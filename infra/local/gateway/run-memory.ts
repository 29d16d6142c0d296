/**
 * Begins runs only as fast as the heap takes what they may hold, so that a burst of runs with large outputs waits, or is
 * refused before it begins, where it would end the process.
 * A run that began lately may still grow; what it holds later is in the heap that is measured.
 * On AWS each run has a Lambda of its own, so nothing of this applies there.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { loadOnce } from '../../../shared/core/concurrency/load-once.ts';
import { ServiceError } from '../../../shared/core/errors/errors.ts';
import { heapLimitBytes } from '../runtime/memory.ts';

/** The heap of this process, in bytes. Injected in tests. */
export interface Heap {
  limit: number;
  used: () => number;
  /** Frees what nothing holds. */
  collect: () => void;
}

const megabyte = 2 ** 20;

/** What a run may still take after its begin, and for how long. Where memory is scarce, one that fills it ends the process. */
const growthWithin = (limit: number) =>
  limit < 512 * megabyte ? { bytes: 12 * megabyte, ms: 5_000 } : { bytes: 6 * megabyte, ms: 1_000 };

/** The rest is for what runs that began earlier still make. */
const shareMax = 0.75;
const lookMs = 50;
const waitMsMax = 10_000;
const collectMsMin = 1_000;

/** @returns what to await before a run begins. It throws BUSY if there is no room for ten seconds. */
export function makeRunMemory(heap: Heap = ownHeap(), clock: Pick<Performance, 'now'> = performance) {
  const growth = growthWithin(heap.limit);
  let running = 0;
  /** When those of them began that may still grow. */
  const young = new Map<object, number>();
  let turn: Promise<unknown> = Promise.resolve();
  let collectedAt = Number.NEGATIVE_INFINITY;

  function hasRoom(): boolean {
    if (running === 0) return true;
    const now = clock.now();
    for (const [run, since] of young) if (now - since >= growth.ms) young.delete(run);
    const isWithin = () => heap.used() + (young.size + 1) * growth.bytes <= heap.limit * shareMax;
    if (isWithin()) return true;
    if (now - collectedAt < collectMsMin) return false;
    collectedAt = now;
    heap.collect();
    return isWithin();
  }

  async function waitForRoom(since: number): Promise<void> {
    while (!hasRoom()) {
      if (clock.now() - since > waitMsMax) throw noMemory();
      await sleep(lookMs);
    }
  }

  /** @returns what to call at the end of the run. @throws ServiceError BUSY */
  return async function begin(): Promise<() => void> {
    const since = clock.now();
    const own = turn.then(() => waitForRoom(since));
    // In the order of their arrival.
    turn = own.catch(() => {});
    await own;
    const run = {};
    running++;
    young.set(run, clock.now());
    return () => {
      running--;
      young.delete(run);
    };
  };
}

const noMemory = () =>
  new ServiceError(
    'BUSY',
    'The memory of the service is in use by other runs. Nothing was done: send the request again later',
    { retryAfterSeconds: 10 },
  );

const ownHeap = loadOnce((): Heap => {
  setFlagsFromString('--expose-gc');
  return {
    limit: heapLimitBytes(),
    used: () => getHeapStatistics().used_heap_size,
    collect: runInNewContext('gc') as () => void,
  };
});
