import { setImmediate } from 'node:timers/promises';

const turnMs = 10;

/** Yields if the last yield is more than 10 ms ago, for long synchronous loops. @throws the signal's reason */
export function eventLoopYielder(signal?: AbortSignal): () => Promise<void> | undefined {
  let begin = performance.now();
  return () => {
    if (performance.now() - begin < turnMs) return undefined;
    return setImmediate().then(() => {
      signal?.throwIfAborted();
      begin = performance.now();
    });
  };
}

/** Maps items by slow work, and yields to the event loop in between. */
export async function mapYielding<T, R>(
  things: readonly T[],
  work: (thing: T) => R,
  signal?: AbortSignal,
): Promise<R[]> {
  signal?.throwIfAborted();
  const turn = eventLoopYielder(signal);
  const results: R[] = [];
  for (const thing of things) {
    results.push(work(thing));
    const pause = turn();
    if (pause) await pause;
  }
  return results;
}
