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

/** Filters items with a slow predicate, and yields to the event loop in between. */
export async function filterYielding<T>(
  things: readonly T[],
  passes: (thing: T) => boolean,
  signal?: AbortSignal,
): Promise<T[]> {
  signal?.throwIfAborted();
  const turn = eventLoopYielder(signal);
  const passed: T[] = [];
  for (const thing of things) {
    if (passes(thing)) passed.push(thing);
    await turn();
  }
  return passed;
}
