import { isStorageFull } from '../aws/storage-full.ts';
import { isContention, isOutage } from './condition-failed.ts';
import { backOff } from './retry-contention.ts';

/** Reserved for the work in progress: no more is started. */
const startReserveMs = 6_000;
/** Reserved for the response: work that is still in progress is given up. */
const responseReserveMs = 2_000;

export interface InTime {
  atOnce: number;
  /** The milliseconds until the Lambda timeout. */
  timeLeftMs: () => number;
}

/**
 * Runs work for each item with limited concurrency, and stops in time for a response. Repeats work that DynamoDB
 * throttles or cannot do, so the work must be repeatable. After any other failure it starts no more, waits for the
 * running work and throws.
 *
 * Work that is given up may still be carried out, unless its signal stops it.
 * @returns the items that may not be done: those given up, and the first one that was not started.
 */
export async function forEachInTime<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { atOnce, timeLeftMs }: InTime,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<T[]> {
  const remaining = iterate(items);
  const unfinished = new Set<T>();
  const failures: unknown[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const runWorker = async () => {
    while (!signal.aborted && failures.length === 0 && timeLeftMs() > startReserveMs) {
      const next = await remaining.next();
      if (next.done) return;
      unfinished.add(next.value);
      await retryTransient(() => work(next.value, signal), signal).then(
        () => unfinished.delete(next.value),
        (error) => failures.push(error),
      );
    }
  };
  const workers = Array.from({ length: atOnce }, () => runWorker().catch((error) => failures.push(error)));
  const timer = startTimeout(timeLeftMs() - responseReserveMs);
  await Promise.race([Promise.all(workers), timer.over]);
  timer.cancel();
  stop.abort();
  if (failures.length > 0) throw failures[0];
  const next = await remaining.next();
  await remaining.return(undefined);
  return next.done ? [...unfinished] : [...unfinished, next.value];
}

/** One at a time, however many callers ask for the next item. */
async function* iterate<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, undefined> {
  yield* items;
}

async function retryTransient(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
      await backOff(attempt);
      if (signal.aborted) throw error;
    }
  }
}

/** Within the time of a request: a disk that is full remains so, and the caller must know it. */
const mayPass = (error: unknown) => isContention(error) || (isOutage(error) && !isStorageFull(error));

function startTimeout(ms: number) {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = Number.isFinite(ms) ? setTimeout(resolve, Math.max(0, ms)) : undefined;
  return { over, cancel: () => clearTimeout(timer) };
}
