import type { CallLimits } from '../../../shared/adapters/models/call-limits.ts';
import { decide } from '../../../shared/domain/throttles/decide.ts';
import { createThrottle, type Throttle } from '../../../shared/domain/throttles/throttle.ts';
import { openLimiter, type ThrottleStore } from '../../../shared/execution/model-calls/limiter.ts';
import type { virtualTime } from './virtual-time.ts';

type Time = ReturnType<typeof virtualTime>;

/** The item in memory: processes see it late, and what they write meanwhile is refused, as by a table. */
export function sharedItem(time: Time, latency: () => number = () => 2) {
  const shared = { item: createThrottle('limited') as Throttle, writes: 0 };
  const store: ThrottleStore = {
    async ask(_scope, ask, limits, now) {
      for (;;) {
        const seen = shared.item;
        await time.sleep(latency());
        const decision = decide(seen, ask, limits, now());
        if (!decision.isNews) return decision;
        shared.writes++;
        if (shared.item !== seen) continue;
        shared.item = decision.throttle;
        await time.sleep(latency());
        return decision;
      }
    },
  };
  return { shared, store };
}

/** A process whose clock may differ. */
export function processAt(store: ThrottleStore, time: Time, holder: string, skewMs = 0) {
  const timing = { now: () => time.now() + skewMs, callLater: time.after };
  const gate = openLimiter({ store, holder, timing });
  return {
    gate,
    admit: (
      limits: CallLimits,
      {
        tokens = 0,
        isLive = false,
        backSince,
        maySuspend = false,
        signal = new AbortController().signal,
      }: {
        tokens?: number;
        isLive?: boolean;
        backSince?: number | undefined;
        maySuspend?: boolean;
        signal?: AbortSignal;
      } = {},
    ) =>
      gate.acquire({
        scope: {} as never,
        limits,
        tokens,
        isLive,
        backSince,
        maySuspend: () => maySuspend,
        signal,
      }),
  };
}
