/** The clock of a gate. */
export interface Timing {
  /** Unix ms. */
  now: () => number;
  /** Calls back after a time. @returns what prevents it */
  after: (ms: number, run: () => void) => () => void;
}

export const realTiming: Timing = {
  now: Date.now,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
