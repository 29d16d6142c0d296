import { setImmediate } from 'node:timers/promises';

const turnMs = 10;

/**
 * For work on many things in a row: lets others have their turn where the last one is a while ago.
 * @throws the signal's reason, where that is aborted by then.
 */
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

/** Those of some things that pass a test, which may take its time. */
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
