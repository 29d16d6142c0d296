/**
 * The limiter of one model config or provider key in one process: its calls wait here until they may be made.
 * Processes share an item (`ThrottleStore`, decided in `domain/throttles/decide.ts`). A process asks in one conditional
 * write for what its waiting calls need and gets a lease: so many requests, tokens and concurrent calls until a time.
 * Calls draw on the lease without further writes; waiting ones ask together, in the order of their turns, live calls
 * before those of batches.
 * What was sent and not yet reported stays in `openLease` until the next write. Near the limit, unused permits are
 * reported at once, so that others get them. A permit that waits too long before it is confirmed counts anew.
 * A call that may suspend its run does so after `inPlaceMsMax` (`RunMustWait`); others fail after `patienceMs`
 * (RATE_LIMITED). After a crash the lease expires, and its permits count as sent.
 * `acquireAll` takes the permits of several limiters one after the other, in a fixed order, or none. Called by
 * `model-admission.ts`.
 */
import type { CallLimits } from '../../adapters/models/call-limits.ts';
import type { CallUse } from '../../adapters/models/provider-call.ts';
import { inPlaceMsMax, RunMustWait, StepError } from '../../core/errors/step-error.ts';
import { log } from '../../core/log.ts';
import type { Ask, ThrottleDecision } from '../../domain/throttles/decide.ts';
import type { SentInSecond, ThrottleLease } from '../../domain/throttles/throttle.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** A call that may be made now. */
interface Permit {
  /** To be called before it is made: it counts from now on. @returns false if it has waited for too long since */
  confirm: () => boolean;
  /** It is not made. */
  cancel: () => void;
  /** It has ended. @param tokens How many it used, if they are known. */
  end: (tokens?: number) => void;
}

export interface ThrottleStore {
  ask: (
    scope: WaitingCall['scope'],
    ask: Ask,
    limits: CallLimits,
    now: () => number,
  ) => Promise<ThrottleDecision>;
}

/** A call that is made later than that is counted again: the minute begins when it is sent (D271). */
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
export function openLimiter({
  store,
  holder,
  timing,
}: {
  store: ThrottleStore;
  holder: string;
  timing: Timing;
}) {
  const { now } = timing;
  const held = openLease();
  const queue = openCallQueue<Permit>(now);
  let isPumping = false;
  let wake = () => {};
  let askAt = 0;
  let groupedUntil = 0;
  let isNear = false;
  let last: Pick<WaitingCall, 'scope' | 'limits'> | undefined;
  /** Whether the item is to say what this process has now. */
  let mustReport = false;
  let reportAt = Infinity;

  function issuePermit({ tokens, limits }: WaitingCall): Permit | undefined {
    const at = now();
    const begun = held.begin(capTokens(limits, tokens), at, limits);
    if (!begun) return undefined;
    if (limits.maxConcurrent !== undefined) reportLater(renewedMs);
    let isOver = false;
    const finish = (how: () => void) => {
      if (isOver) return;
      isOver = true;
      how();
      queue.serve(issuePermit);
      reportLater(isNear ? flushMs.near : flushMs.far);
      wake();
    };
    return {
      confirm() {
        const waitedMs = now() - at;
        if (!isRated(limits) || waitedMs <= countedMs) return true;
        if (waitedMs > validMs) return false;
        begun.recount(now());
        mustReport = true;
        void pump();
        return true;
      },
      cancel: () => finish(begun.cancel),
      end: (used) => finish(() => begun.end(limits.tokensPerMinute === undefined ? 0 : used)),
    };
  }

  async function ask(waiters: readonly Waiter<Permit>[]): Promise<void> {
    const isRenewal = mustReport;
    mustReport = false;
    const { scope, limits } = waiters[0]?.call ?? last ?? {};
    if (!scope || !limits) return;
    last = { scope, limits };
    const sent = held.beginWrite();
    const wanted = waiters.map(({ call, turn }) => ({
      tokens: capTokens(limits, call.tokens),
      isLive: call.isLive,
      isDue: turn !== undefined,
    }));
    const asked = { holder, sent, inFlight: held.inFlight, wanted, isRenewal };
    const decision = await store.ask(scope, asked, limits, now).catch((error) => {
      held.abortWrite(sent, { until: now(), allowedPlaces: 0 });
      throw error;
    });
    if (decision.isNews) held.confirmWrite(decision);
    else held.abortWrite(sent, { until: decision.lease.until, allowedPlaces: decision.allowedPlaces });
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
      for (queue.serve(issuePermit); !queue.isEmpty() || mustReport; queue.serve(issuePermit)) {
        const asking = queue.asking();
        const isEarly = asking.every((waiter) => getEarliest(waiter) > now());
        if (mustReport || !isEarly) await ask(isEarly ? [] : asking);
        queue.serve(issuePermit);
        queue.endLongWaits(askAt);
        if (!queue.isEmpty()) await waitForNext();
      }
    } catch (error) {
      queue.fail(error);
    } finally {
      isPumping = false;
    }
  }

  /** When to ask for a call. One that has no turn yet asks for it soon. */
  const getEarliest = ({ turn }: Waiter<Permit>) =>
    Math.max(turn ?? 0, groupedUntil, turn === undefined ? 0 : askAt);

  async function waitForNext(): Promise<void> {
    const at = now();
    const next = Math.max(at + 5, queue.next(getEarliest));
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timing.callLater(Math.min(next - at, inPlaceMsMax), resolve);
    wake = resolve;
    await promise;
    cancel();
    wake = () => {};
  }

  /** Near the limit, what this process does not need is told to the others. */
  function report(): Promise<void> {
    mustReport ||= held.needsReport(now(), isNear);
    return mustReport ? pump() : Promise.resolve();
  }

  function reportLater(ms: number): void {
    const at = now() + ms;
    if (at >= reportAt) return;
    reportAt = at;
    timing.callLater(ms, () => {
      if (reportAt !== at) return;
      reportAt = Infinity;
      void report();
      if (held.inFlight > 0 && last?.limits.maxConcurrent !== undefined) reportLater(renewedMs);
    });
  }

  return {
    /** Waits until the call may be made. @throws RunMustWait; StepError with RATE_LIMITED */
    acquire(call: WaitingCall): Promise<Permit> {
      const admitted = queue.add(call);
      void pump();
      return admitted;
    },
    /** Says what others may have. */
    report,
  };
}
export type Limiter = ReturnType<typeof openLimiter>;

/** A limiter, and how much of what it counts a call takes: tokens or, of one that limits money, units of it. */
export interface MeteredLimiter {
  limiter: Limiter;
  limits: CallLimits;
  tokens: number;
  /** @returns undefined if it is not known */
  measure: (used: CallUse) => number | undefined;
}

/**
 * Acquires the permits of all limiters, or none. One after the other, always in the same order: calls that each had one and waited for
 * that of another would keep all from going on.
 */
export async function acquireAll(
  limiters: readonly MeteredLimiter[],
  call: Omit<WaitingCall, 'limits' | 'tokens'>,
): Promise<Omit<Permit, 'end'> & { end: (used?: CallUse) => void }> {
  const permits: Permit[] = [];
  const cancel = () => permits.forEach((permit) => void permit.cancel());
  try {
    for (const { limiter, limits, tokens } of limiters)
      permits.push(await limiter.acquire({ ...call, limits, tokens }));
  } catch (error) {
    cancel();
    throw error;
  }
  return {
    confirm: () => permits.every((permit) => permit.confirm()),
    cancel,
    end: (used) =>
      permits.forEach((permit, index) => void permit.end(used && limiters[index]?.measure(used))),
  };
}

/** A call takes no more than there is. */
const capTokens = ({ tokensPerMinute = 0 }: CallLimits, tokens: number) => Math.min(tokens, tokensPerMinute);

/** The calls of a process that wait, in their order. */
function openCallQueue<T>(now: () => number) {
  let waiters: Waiter<T>[] = [];

  function leave(waiter: Waiter<T>, error: unknown): void {
    waiters = waiters.filter((each) => each !== waiter);
    waiter.reject(error);
  }

  return {
    isEmpty: () => waiters.length === 0,

    /** Those that may ask: their turn has come, or they have none yet. */
    asking: () => waiters.filter(({ turn = 0 }) => turn <= now()),

    /** @returns when the first of them is due by that. Unix ms. */
    next: (dueAt: (waiter: Waiter<T>) => number): number => Math.min(...waiters.map(dueAt)),

    add(call: WaitingCall): Promise<T> {
      const { signal, backSince } = call;
      if (signal.aborted) return Promise.reject(signal.reason);
      const at = now();
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const waiter = { call, arrivedAt: at, waitsSince: at, turn: backSince, resolve, reject };
      const abort = () => leave(waiter, isTimeout(signal) ? createTooLateError() : signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      waiters.push(waiter);
      return promise.finally(() => signal.removeEventListener('abort', abort));
    },

    /** Gives what the calls wait for, up to the first for which there is none. */
    serve(issue: (call: WaitingCall) => T | undefined): void {
      waiters = sortWaiters(waiters);
      for (let [first] = waiters; first && (first.turn ?? 0) <= now(); [first] = waiters) {
        const permit = issue(first.call);
        if (permit === undefined) return;
        waiters.shift();
        first.resolve(permit);
      }
    },

    /** @param askAt When there may be something for those whose turn has come. */
    endLongWaits(askAt: number): void {
      // One that has no turn yet asks for it first.
      for (const waiter of waiters.filter(({ turn }) => turn !== undefined)) {
        if (isOverdue(waiter, now()) && waiter.waitsSince === waiter.arrivedAt) {
          // The limits were lowered, or others came before it. It takes its turn anew, at most once.
          Object.assign(waiter, { turn: undefined, waitsSince: now() });
          continue;
        }
        const error = findWaitEnd(waiter, now(), (waiter.turn ?? 0) <= now() ? askAt : 0);
        if (error) leave(waiter, error);
      }
    },

    fail(error: unknown): void {
      if (waiters.length === 0)
        log.error('What was sent could not be written; it counts as reserved', { error });
      for (const { reject } of waiters.splice(0)) reject(error);
    },
  };
}

const isTimeout = ({ reason }: AbortSignal) => (reason as Error | undefined)?.name === 'TimeoutError';

/** A call that counts. */
interface BegunCall {
  /** @param used How many tokens, if they are known. */
  end: (used?: number) => void;
  cancel: () => void;
  /** It is sent now, and counts from now on. */
  recount: (now: number) => void;
}

/**
 * What a process may still send, and what it has sent that the item does not know. A place that gets free is used again
 * without asking, as long as the lease lasts: the item counts it as taken anyway.
 */
function openLease() {
  let lease: ThrottleLease | undefined;
  /** How many calls at a time it may have by itself, which is less than its places while other processes have too few. */
  let allowed = 0;
  /** How many calls were granted and have not begun. */
  let granted = 0;
  let unwritten: SentInSecond[] = [];
  const hasPlace = ({ places }: ThrottleLease) =>
    held.inFlight < places && (granted > 0 || held.inFlight < allowed);
  const held = {
    inFlight: 0,

    /**
     * The item is about to be written: until its answer nothing is sent that it has to count, and no more at a time than it
     * is told. @returns what it does not know yet
     */
    beginWrite(): SentInSecond[] {
      const pending = unwritten;
      unwritten = [];
      allowed = Math.min(allowed, held.inFlight);
      granted = 0;
      lease = lease && { ...lease, requests: 0, tokens: 0 };
      return pending;
    },
    confirmWrite(next: Pick<ThrottleDecision, 'lease' | 'granted' | 'allowedPlaces'>): void {
      lease = { ...next.lease };
      allowed = next.allowedPlaces;
      granted = next.granted;
    },
    /** The item was not written. @param unreported What it still does not know. */
    abortWrite(
      unreported: readonly SentInSecond[],
      { until, allowedPlaces }: { until: number; allowedPlaces: number },
    ): void {
      unwritten = [...unreported, ...unwritten];
      if (!lease) return;
      lease.until = Math.min(until, lease.heldUntil);
      allowed = Math.min(allowed, allowedPlaces);
    },
    /** Whether the item is to be told: of places that are still used, and near the limit of what is not needed. */
    needsReport(now: number, isNear: boolean): boolean {
      if (!lease) return isNear && unwritten.some(isCorrection);
      const hasPlaces = lease.places > 0 && lease.heldUntil > now;
      if (hasPlaces && (held.inFlight === 0 || lease.heldUntil - now < renewedBeforeMs)) return true;
      const isUnused = lease.requests > 0 || (hasPlaces && lease.places > held.inFlight);
      return isNear && (isUnused || unwritten.some(isCorrection));
    },

    /** @returns undefined if the call does not fit */
    begin(tokens: number, now: number, limits: CallLimits): BegunCall | undefined {
      const current = lease;
      if (!current || current.until <= now) return undefined;
      if (isRated(limits) && (current.requests < 1 || current.tokens < tokens)) return undefined;
      if (limits.maxConcurrent !== undefined && !hasPlace(current)) return undefined;
      granted--;
      current.requests--;
      current.tokens -= tokens;
      held.inFlight++;
      let second = Math.floor(now / 1_000);
      unwritten.push({ second, requests: 1, tokens });
      const correct = (requests: number, change: number) => {
        held.inFlight--;
        if (requests === 0 && change === 0) return;
        unwritten.push({ second, requests, tokens: change });
        // The item still counts the lease as a whole.
        if (lease === current) current.tokens -= change;
        if (lease === current) current.requests -= requests;
      };
      return {
        end: (used) => correct(0, (used ?? tokens) - tokens),
        cancel: () => correct(-1, -tokens),
        recount(at) {
          unwritten.push({ second, requests: -1, tokens: -tokens });
          second = Math.floor(at / 1_000);
          unwritten.push({ second, requests: 1, tokens });
        },
      };
    },
  };
  return held;
}

/** Whether it counts when a call is sent. */
const isRated = ({ requestsPerMinute, tokensPerMinute }: CallLimits): boolean =>
  requestsPerMinute !== undefined || tokensPerMinute !== undefined;

const renewedBeforeMs = 20_000;
const isCorrection = ({ requests }: SentInSecond) => requests <= 0;

/** A call that asks to be made. */
interface WaitingCall {
  scope: Pick<Scope, 'table'>;
  limits: CallLimits;
  tokens: number;
  isLive: boolean;
  /** Since when it waits, if it has waited before: its turn has come. Unix ms. */
  backSince: number | undefined;
  maySuspend: () => boolean;
  signal: AbortSignal;
}

interface Waiter<T> {
  call: WaitingCall;
  arrivedAt: number;
  /** When it arrived, or got another turn since it had waited for too long. */
  waitsSince: number;
  /** When its turn comes; undefined if none was given. Unix ms. */
  turn: number | undefined;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

/** What cannot be suspended waits so long at most. */
export const patienceMs = 600_000;

/** Live calls first, then those whose turn comes first, then those that came first. */
function sortWaiters<T>(waiters: readonly Waiter<T>[]): Waiter<T>[] {
  const rank = ({ turn, arrivedAt }: Waiter<T>) => turn ?? arrivedAt;
  return waiters.toSorted(
    (one, other) =>
      Number(other.call.isLive) - Number(one.call.isLive) ||
      Number(one.turn === undefined) - Number(other.turn === undefined) ||
      rank(one) - rank(other),
  );
}

/** Why a call waits no longer: its run is suspended, or fails. Undefined if it goes on. */
function findWaitEnd<T>(waiter: Waiter<T>, now: number, askAt: number): StepError | undefined {
  const { call, turn = 0, arrivedAt } = waiter;
  const next = Math.max(turn, askAt, now);
  if (call.maySuspend() && next - now > inPlaceMsMax) return createRunMustWait(next);
  if (call.maySuspend() && isOverdue(waiter, now)) return createRunMustWait(now + inPlaceMsMax);
  return next - now <= patienceMs && now - arrivedAt <= patienceMs ? undefined : createTooLateError();
}

/** Whether it has waited in place for so long that its run is to be suspended. */
const isOverdue = <T>({ call, waitsSince }: Waiter<T>, now: number): boolean =>
  call.maySuspend() && now - waitsSince > inPlaceMsMax;

const createRunMustWait = (until: number) =>
  new RunMustWait(new Date(until), 'The limits of the model config or its key are reached');

export const createTooLateError = () =>
  new StepError('The limits of the model config or its key left no time for the call; try again later', {
    code: 'RATE_LIMITED',
  });

/** The clock of a limiter. */
export interface Timing {
  /** Unix ms. */
  now: () => number;
  /** Calls back after a time. @returns what prevents it */
  callLater: (ms: number, run: () => void) => () => void;
}

export const realTiming: Timing = {
  now: Date.now,
  callLater(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
