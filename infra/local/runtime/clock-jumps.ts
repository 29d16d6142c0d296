const everyMs = 1_000;
/** Less is the drift that time servers correct. */
const jumpMsMin = 2_000;

interface Clocks {
  wall: () => number;
  monotonic: () => number;
}

/** The time of day, and the time since a start, which nobody sets. Tests replace them. */
export const systemClocks: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * Calls back when the clock of the machine was set, or went on while the machine slept. Timers wait by the monotonic
 * clock, so what is due at a time of day must be armed again.
 * @param onJump Receives how far it was set forward, in ms; negative if it was set back.
 */
export function watchClock(onJump: (byMs: number) => void, { wall, monotonic } = systemClocks): Disposable {
  let difference = wall() - monotonic();
  const timer = setInterval(() => {
    const jumpMs = wall() - monotonic() - difference;
    if (Math.abs(jumpMs) < jumpMsMin) return;
    difference += jumpMs;
    onJump(jumpMs);
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The time of a process whose clock is never set: for one that only measures how long something takes. */
export function steadyClock({ wall, monotonic } = systemClocks): () => number {
  const startedAt = wall() - monotonic();
  return () => Math.round(startedAt + monotonic());
}
