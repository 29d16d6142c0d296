import type { Timing } from '../../../shared/execution/model-calls/limiter.ts';

/** Time that passes when nothing else is to be done, so that a test of minutes takes none. */
export function virtualTime(start = Date.parse('2026-01-01T00:00:00Z')) {
  let at = start;
  let timers: { at: number; run: () => void }[] = [];
  const after: Timing['callLater'] = (ms, run) => {
    const timer = { at: at + Math.max(0, ms), run };
    timers.push(timer);
    return () => {
      timers = timers.filter((each) => each !== timer);
    };
  };
  return {
    now: () => at,
    after,
    sleep: (ms: number) => new Promise<void>((resolve) => void after(ms, resolve)),
    /** Lets time pass until then, or until nobody waits. */
    async pass(untilMs: number): Promise<void> {
      for (;;) {
        // What follows from the timer before.
        for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
        const next = timers.toSorted((one, other) => one.at - other.at)[0];
        if (!next || next.at > untilMs) break;
        timers = timers.filter((each) => each !== next);
        at = Math.max(at, next.at);
        next.run();
      }
      at = Math.max(at, untilMs);
    },
  };
}
