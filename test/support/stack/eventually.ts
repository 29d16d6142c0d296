import { setTimeout as sleep } from 'node:timers/promises';

const longestPauseMs = 400;
/** On short pages, a list takes many more requests. */
const usualMs = process.env.PAGES_SEED ? 60_000 : 40_000;

/**
 * Waits until a check holds, as long as that may take on a busy machine. The pauses between two checks grow: most effects
 * come soon, and each check takes the processor time of a request. @returns what the check returns.
 */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = usualMs): Promise<T> {
  const end = performance.now() + withinMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(1.4 * pauseMs, longestPauseMs)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() + pauseMs > end) throw error;
    }
    await sleep(pauseMs);
  }
}
