/**
 * What a process has reserved of one budget, and what its calls have spent of it.
 * A call reserves its highest cost before it begins, and settles with its real cost when it has ended. Far from the
 * limit the process reserves an advance for several calls in one write; near it, each call reserves what it needs, and
 * what is free is released at once.
 * If the budget does not pay, reservations of dead processes are released, and the call waits up to `waitMs` for what
 * others may release. Changes are made one at a time (`runInTurn`); each write is conditional on the version of the
 * process's hold.
 * A new period forgets what was reserved and spent in the one before. After a crash the hold stays until it expires and
 * is then released: what was spent and not yet written (a second of idling at most, or the calls that ran) does not
 * count.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import Big from 'big.js';
import { log } from '../../core/log.ts';
import type { Budget } from '../../domain/budgets/budget/budget.ts';
import {
  enterPeriod,
  type Hold,
  markOnce,
  releaseDead,
  writeReservation,
} from '../../domain/budgets/spending.ts';
import { toCostUnits, toDollars } from '../../domain/model-usage/cost-units.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Cost } from './call-cost.ts';
import type { Reservation } from './pipeline.ts';

/** What a process has reserved of a budget. Several calls draw on it, so that few of them need a write (D69). */
export interface BudgetReservations {
  /** @returns undefined if the budget does not pay for the call */
  reserve: (cost: Cost, signal: AbortSignal) => Promise<Reservation | undefined>;
  /** Records that a call of a model without a price was made. */
  markUncounted: () => Promise<void>;
  /** Writes what is spent, and releases what no call needs. */
  flush: () => Promise<void>;
}

const pauseMs = { first: 50, most: 500 };
/** Somebody who looks at the budget sees what was spent. */
const idleMs = 1_000;

/** In whole units, in which sums are exact. */
const toExactUnits = (cost: Big) => toDollars(new Big(toCostUnits(cost)));

/** @param waitMs How long a call waits for what others hold, which may come back. */
export function openBudgetReservations(scope: Scope, found: Budget, waitMs = 5_000): BudgetReservations {
  const ledger = openLedger(scope, found);
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  /** One change at a time. */
  function runInTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  function createReservation(amount: Big): Reservation {
    ledger.inCalls = ledger.inCalls.plus(amount);
    const { forgotten } = ledger;
    return {
      amount,
      settle(cost) {
        // What belongs to a period that is over is forgotten.
        if (!ledger.budget || forgotten !== ledger.forgotten) return;
        ledger.inCalls = ledger.inCalls.minus(amount);
        ledger.spent = ledger.spent.plus(toExactUnits(cost));
        const isNear = computeAdvance(toDollars(ledger.budget.left), amount).eq(0);
        if (isNear) void flush();
        else flushWhenIdle();
      },
    };
  }

  async function tryToReserve({ wanted, least }: Cost): Promise<Reservation | undefined> {
    await ledger.renew();
    if (ledger.isFresh() && ledger.free().gte(wanted)) return createReservation(wanted);
    const left = ledger.left();
    let amount = wanted;
    let advance = left ? computeAdvance(left, wanted) : new Big(0);
    for (;;) {
      const after = ledger.inCalls.plus(amount).plus(advance);
      if (await ledger.change(after, { isReserved: true })) return createReservation(amount);
      const most = ledger.free().plus(ledger.left() ?? 0);
      if (most.gte(least)) amount = most.lt(wanted) ? most : wanted;
      else if (!(await ledger.release())) return undefined;
      advance = new Big(0);
    }
  }

  async function reserve(cost: Cost, signal: AbortSignal): Promise<Reservation | undefined> {
    clearTimeout(idle);
    const asked = { wanted: toExactUnits(cost.wanted), least: toExactUnits(cost.least) };
    const deadline = performance.now() + waitMs;
    for (let pause = pauseMs.first; ; pause = Math.min(pauseMs.most, pause * 2)) {
      const reservation = await runInTurn(() => tryToReserve(asked));
      if (reservation) return reservation;
      if (!ledger.mayComeBack() || performance.now() >= deadline) break;
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal });
    }
    if (ledger.budget) await markOnce(scope, ledger.budget, 'refused');
    return undefined;
  }

  function flush(): Promise<void> {
    clearTimeout(idle);
    return runInTurn(async () => {
      if (ledger.budget && ledger.isUnwritten()) {
        await ledger.change(ledger.inCalls, { isReserved: false });
      }
    }).catch((error) => log.error('What was spent of a budget could not be written', { error }));
  }

  function flushWhenIdle(): void {
    clearTimeout(idle);
    if (ledger.inCalls.eq(0)) idle = setTimeout(flush, idleMs).unref();
  }

  async function markUncounted(): Promise<void> {
    const { budget } = ledger;
    if (!budget) return;
    await markOnce(scope, budget, 'uncounted');
    ledger.budget = { ...budget, uncounted: true };
  }

  return { reserve, flush, markUncounted };
}

/** An advance is renewed in time for the longest call. */
const renewedBeforeMs = 12 * 60_000;
const attemptsMax = 10;
const zero = new Big(0);

/** One change at a time: the caller waits for each. */
function openLedger(scope: Scope, found: Budget) {
  const holder = scope.newId('hold');
  let hold: Hold | undefined;
  let isSeen = false;
  const ledger = {
    /** As it was last seen; undefined once it is deleted. */
    budget: found as Budget | undefined,
    inCalls: zero,
    spent: zero,
    /** How often what was held and spent was forgotten. */
    forgotten: 0,

    /** What further calls may take without a write. */
    free: (): Big => (hold?.amount ?? zero).minus(ledger.inCalls).minus(ledger.spent),
    isFresh: () => hold !== undefined && Date.parse(hold.until) - scope.now().getTime() > renewedBeforeMs,
    /** What the budget has left; undefined until this process has written to it. */
    left: () => (isSeen && ledger.budget ? toDollars(ledger.budget.left) : undefined),
    /** Whether something may come back, from this process or from others. */
    mayComeBack: () =>
      ledger.inCalls.gt(0) || Object.keys(ledger.budget?.holds ?? {}).some((name) => name !== holder),
    /** Whether a write would change anything. */
    isUnwritten: () => ledger.spent.gt(0) || (hold?.amount.gt(ledger.inCalls) ?? false),

    /** Begins the period of now. What was held and spent in the one before is over. */
    async renew(): Promise<void> {
      if (!ledger.budget) return;
      const before = ledger.budget.periodStart;
      ledger.budget = await enterPeriod(scope, ledger.budget);
      if (ledger.budget?.periodStart !== before && !isKept()) forget();
    },

    /** Writes what is held from now on, and what was spent. @returns false if the budget does not pay for it */
    async change(after: Big, { isReserved }: { isReserved: boolean }): Promise<boolean> {
      for (let attempt = 0; ledger.budget && attempt < attemptsMax; attempt++) {
        const before = ledger.budget;
        // Calls may end meanwhile.
        const { spent } = ledger;
        const held = await writeReservation(scope, before, {
          holder,
          before: hold,
          after,
          spent,
          isReserved,
        });
        isSeen = true;
        ledger.budget = held.result === 'deleted' ? undefined : held.budget;
        if (held.result === 'refused') return false;
        if (held.result === 'written') {
          hold = held.hold;
          ledger.spent = ledger.spent.minus(spent);
          return true;
        }
        if (isKept()) continue;
        hold = undefined;
        const isOver = ledger.budget?.periodStart !== before.periodStart;
        if (isOver) forget();
        if (isOver && !isReserved) return true;
      }
      if (ledger.budget) throw new Error('What a process holds of a budget is lost again and again');
      return true;
    },

    /** Releases what dead processes hold. @returns whether there was anything */
    async release(): Promise<boolean> {
      const released = ledger.budget && (await releaseDead(scope, ledger.budget));
      ledger.budget = released ?? ledger.budget;
      return released !== undefined;
    },
  };

  /** A new period begins without holds. If somebody changed when periods begin, they stay. */
  const isKept = () => hold !== undefined && ledger.budget?.holds[holder]?.version === hold.version;

  function forget(): void {
    ledger.forgotten++;
    hold = undefined;
    ledger.inCalls = zero;
    ledger.spent = zero;
  }

  return ledger;
}

/** How many calls an advance is for. */
const callsPerAdvance = 15;
/** A hundred processes that each hold an advance leave a part for others. */
const partOfBudget = 128;

/**
 * How much more than a call needs a process takes from a budget, in USD. Far from the limit that saves the requests of later
 * calls; near it, where an advance would be smaller than a call, each call takes what it needs.
 */
function computeAdvance(left: Big, wanted: Big): Big {
  const part = left.div(partOfBudget);
  if (part.lt(wanted)) return new Big(0);
  const advance = wanted.times(callsPerAdvance);
  return (part.lt(advance) ? part : advance).round(12, Big.roundDown);
}
