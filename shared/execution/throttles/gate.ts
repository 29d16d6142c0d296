import type { CallLimits } from '../../adapters/models/call-limits.ts';
import { inPlaceMsMax } from '../../core/errors/run-must-wait.ts';
import type { Ask, ThrottleDecision } from '../../domain/throttles/decide.ts';
import { openCallQueue } from './call-queue.ts';
import { isRated, openHeldLease } from './held-lease.ts';
import type { Timing } from './timing.ts';
import type { Waiter, WaitingCall } from './waiting-calls.ts';

/** A call that may be made now. */
export interface Pass {
  /** To be called before it is made: it counts from now on. @returns false if it has waited for too long since */
  confirm: () => boolean;
  /** It is not made. */
  cancel: () => void;
  /** It has ended. @param tokens How many it used, if they are known. */
  end: (tokens?: number) => void;
}

export interface GateStore {
  ask: (
    scope: WaitingCall['scope'],
    ask: Ask,
    limits: CallLimits,
    now: () => number,
  ) => Promise<ThrottleDecision>;
}

/** A call that is made later than that is counted again: the minute begins when it is sent. */
const countedMs = 500;
/** What was counted longer ago may soon no longer count. */
const validMs = 30_000;
/** Ends of calls near the limit are written together. */
const flushMs = { near: 150, far: 1_000 };
/** While calls wait, those of so long ask together. */
const groupMs = 200;
/** A process with calls says so, before others count it as dead. */
const renewedMs = 12_000;

/** One model config or provider key in this process: its calls wait here, in their order. */
export function openGate({ store, holder, timing }: { store: GateStore; holder: string; timing: Timing }) {
  const { now } = timing;
  const held = openHeldLease();
  const queue = openCallQueue<Pass>(now);
  let isPumping = false;
  let wake = () => {};
  let askAt = 0;
  let groupedUntil = 0;
  let isNear = false;
  let last: Pick<WaitingCall, 'scope' | 'limits'> | undefined;
  /** Whether the item is to say what this process has now. */
  let mustTell = false;
  let tellAt = Infinity;

  function passFor({ tokens, limits }: WaitingCall): Pass | undefined {
    const at = now();
    const begun = held.begin(tokensUnder(limits, tokens), at, limits);
    if (!begun) return undefined;
    if (limits.maxConcurrent !== undefined) tellLater(renewedMs);
    let isOver = false;
    const over = (how: () => void) => {
      if (isOver) return;
      isOver = true;
      how();
      queue.serve(passFor);
      tellLater(isNear ? flushMs.near : flushMs.far);
      wake();
    };
    return {
      confirm() {
        const waitedMs = now() - at;
        if (!isRated(limits) || waitedMs <= countedMs) return true;
        if (waitedMs > validMs) return false;
        begun.recount(now());
        mustTell = true;
        void pump();
        return true;
      },
      cancel: () => over(begun.cancel),
      end: (used) => over(() => begun.end(limits.tokensPerMinute === undefined ? 0 : used)),
    };
  }

  async function ask(waiters: readonly Waiter<Pass>[]): Promise<void> {
    const isRenewal = mustTell;
    mustTell = false;
    const { scope, limits } = waiters[0]?.call ?? last ?? {};
    if (!scope || !limits) return;
    last = { scope, limits };
    const sent = held.leave();
    const wanted = waiters.map(({ call, turn }) => ({
      tokens: tokensUnder(limits, call.tokens),
      isLive: call.isLive,
      isDue: turn !== undefined,
    }));
    const asked = { holder, sent, inFlight: held.inFlight, wanted, isRenewal };
    const decision = await store.ask(scope, asked, limits, now).catch((error) => {
      held.keep(sent, { until: now(), allowedPlaces: 0 });
      throw error;
    });
    if (decision.isNews) held.take(decision);
    else held.keep(sent, { until: decision.lease.until, allowedPlaces: decision.allowedPlaces });
    isNear = decision.isNear;
    if (waiters.length > 0) askAt = decision.askAt;
    groupedUntil = decision.granted < waiters.length ? now() + groupMs : 0;
    for (const [index, waiter] of waiters.entries()) {
      waiter.turn ??= index < decision.granted ? now() : decision.turns[index - decision.granted];
    }
  }

  async function pump(): Promise<void> {
    if (isPumping) return wake();
    isPumping = true;
    try {
      for (queue.serve(passFor); !queue.isEmpty() || mustTell; queue.serve(passFor)) {
        const asking = queue.asking();
        const isEarly = asking.every((waiter) => earliest(waiter) > now());
        if (mustTell || !isEarly) await ask(isEarly ? [] : asking);
        queue.serve(passFor);
        queue.endLongWaits(askAt);
        if (!queue.isEmpty()) await untilNext();
      }
    } catch (error) {
      queue.fail(error);
    } finally {
      isPumping = false;
    }
  }

  /** When to ask for a call. One that has no turn yet asks for it soon. */
  const earliest = ({ turn }: Waiter<Pass>) =>
    Math.max(turn ?? 0, groupedUntil, turn === undefined ? 0 : askAt);

  async function untilNext(): Promise<void> {
    const at = now();
    const next = Math.max(at + 5, queue.next(earliest));
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timing.after(Math.min(next - at, inPlaceMsMax), resolve);
    wake = resolve;
    await promise;
    cancel();
    wake = () => {};
  }

  /** Near the limit, what this process does not need is told to the others. */
  function tell(): Promise<void> {
    mustTell ||= held.owes(now(), isNear);
    return mustTell ? pump() : Promise.resolve();
  }

  function tellLater(ms: number): void {
    const at = now() + ms;
    if (at >= tellAt) return;
    tellAt = at;
    timing.after(ms, () => {
      if (tellAt !== at) return;
      tellAt = Infinity;
      void tell();
      if (held.inFlight > 0 && last?.limits.maxConcurrent !== undefined) tellLater(renewedMs);
    });
  }

  return {
    /** Waits until the call may be made. @throws RunMustWait; StepError with RATE_LIMITED */
    admit(call: WaitingCall): Promise<Pass> {
      const admitted = queue.add(call);
      void pump();
      return admitted;
    },
    /** Says what others may have. */
    tell,
  };
}
export type Gate = ReturnType<typeof openGate>;

/**
 * The passes of all gates, or none. One after the other, always in the same order: calls that each had one and waited for
 * that of another would keep all from going on.
 */
export async function admitToAll(
  gates: readonly { gate: Gate; limits: CallLimits }[],
  call: Omit<WaitingCall, 'limits'>,
): Promise<Pass> {
  const passes: Pass[] = [];
  const cancel = () => passes.forEach((pass) => void pass.cancel());
  try {
    for (const { gate, limits } of gates) passes.push(await gate.admit({ ...call, limits }));
  } catch (error) {
    cancel();
    throw error;
  }
  return {
    confirm: () => passes.every((pass) => pass.confirm()),
    cancel,
    end: (tokens) => passes.forEach((pass) => void pass.end(tokens)),
  };
}

/** A call takes no more than there is. */
const tokensUnder = ({ tokensPerMinute = 0 }: CallLimits, tokens: number) =>
  Math.min(tokens, tokensPerMinute);
