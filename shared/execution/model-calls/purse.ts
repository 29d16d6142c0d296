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

/** What a call is about to cost: as much as it would, and the least with which it is made. USD. */
export interface Cost {
  wanted: Big;
  least: Big;
}

/** What is set aside for a call. */
export interface Grant {
  amount: Big;
  /** To be called once, when the call has ended, with what it cost. */
  settle: (cost: Big) => void;
}

/** What a process holds of a budget. Several calls take from it, so that few of them need a request (D69). */
export interface Purse {
  /** @returns undefined if the budget does not pay for the call */
  take: (cost: Cost, signal: AbortSignal) => Promise<Grant | undefined>;
  /** Notes a call of a model without a price. */
  noteUncounted: () => Promise<void>;
  /** Writes what is spent, and gives back what no call needs. */
  flush: () => Promise<void>;
}

const pauseMs = { first: 50, most: 500 };
/** Somebody who looks at the budget sees what was spent. */
const idleMs = 1_000;

/** In whole units, in which sums are exact. */
const exact = (cost: Big) => toDollars(new Big(toCostUnits(cost)));

/** @param waitMs How long a call waits for what others hold, which may come back. */
export function openPurse(scope: Scope, found: Budget, waitMs = 5_000): Purse {
  const holding = openHolding(scope, found);
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  /** One change at a time. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  function granted(amount: Big): Grant {
    holding.inCalls = holding.inCalls.plus(amount);
    const { forgotten } = holding;
    return {
      amount,
      settle(cost) {
        // What belongs to a period that is over is forgotten.
        if (!holding.budget || forgotten !== holding.forgotten) return;
        holding.inCalls = holding.inCalls.minus(amount);
        holding.spent = holding.spent.plus(exact(cost));
        const isNear = budgetSlice(toDollars(holding.budget.left), amount).eq(0);
        if (isNear) void flush();
        else flushWhenIdle();
      },
    };
  }

  async function tryToTake({ wanted, least }: Cost): Promise<Grant | undefined> {
    await holding.renew();
    if (holding.isFresh() && holding.free().gte(wanted)) return granted(wanted);
    const left = holding.left();
    let amount = wanted;
    let slice = left ? budgetSlice(left, wanted) : new Big(0);
    for (;;) {
      const after = holding.inCalls.plus(amount).plus(slice);
      if (await holding.change(after, { isReserved: true })) return granted(amount);
      const most = holding.free().plus(holding.left() ?? 0);
      if (most.gte(least)) amount = most.lt(wanted) ? most : wanted;
      else if (!(await holding.release())) return undefined;
      slice = new Big(0);
    }
  }

  async function take(cost: Cost, signal: AbortSignal): Promise<Grant | undefined> {
    clearTimeout(idle);
    const asked = { wanted: exact(cost.wanted), least: exact(cost.least) };
    const deadline = performance.now() + waitMs;
    for (let pause = pauseMs.first; ; pause = Math.min(pauseMs.most, pause * 2)) {
      const grant = await inTurn(() => tryToTake(asked));
      if (grant) return grant;
      if (!holding.mayComeBack() || performance.now() >= deadline) break;
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal });
    }
    if (holding.budget) await markOnce(scope, holding.budget, 'refused');
    return undefined;
  }

  function flush(): Promise<void> {
    clearTimeout(idle);
    return inTurn(async () => {
      if (holding.budget && holding.isUnwritten()) {
        await holding.change(holding.inCalls, { isReserved: false });
      }
    }).catch((error) => log.error('What was spent of a budget could not be written', { error }));
  }

  function flushWhenIdle(): void {
    clearTimeout(idle);
    if (holding.inCalls.eq(0)) idle = setTimeout(flush, idleMs).unref();
  }

  async function noteUncounted(): Promise<void> {
    const { budget } = holding;
    if (!budget) return;
    await markOnce(scope, budget, 'uncounted');
    holding.budget = { ...budget, uncounted: true };
  }

  return { take, flush, noteUncounted };
}

/** A slice is renewed in time for the longest call. */
const renewedBeforeMs = 12 * 60_000;
const attemptsMax = 10;
const zero = new Big(0);

/** One change at a time: the caller waits for each. */
function openHolding(scope: Scope, found: Budget) {
  const holder = scope.newId('hold');
  let hold: Hold | undefined;
  let isSeen = false;
  const holding = {
    /** As it was last seen; undefined once it is deleted. */
    budget: found as Budget | undefined,
    inCalls: zero,
    spent: zero,
    /** How often what was held and spent was forgotten. */
    forgotten: 0,

    /** What further calls may take without a write. */
    free: (): Big => (hold?.amount ?? zero).minus(holding.inCalls).minus(holding.spent),
    isFresh: () => hold !== undefined && Date.parse(hold.until) - scope.now().getTime() > renewedBeforeMs,
    /** What the budget has left; undefined until this process has written to it. */
    left: () => (isSeen && holding.budget ? toDollars(holding.budget.left) : undefined),
    /** Whether something may come back, from this process or from others. */
    mayComeBack: () =>
      holding.inCalls.gt(0) || Object.keys(holding.budget?.holds ?? {}).some((name) => name !== holder),
    /** Whether a write would change anything. */
    isUnwritten: () => holding.spent.gt(0) || (hold?.amount.gt(holding.inCalls) ?? false),

    /** Begins the period of now. What was held and spent in the one before is over. */
    async renew(): Promise<void> {
      if (!holding.budget) return;
      const before = holding.budget.periodStart;
      holding.budget = await enterPeriod(scope, holding.budget);
      if (holding.budget?.periodStart !== before && !isKept()) forget();
    },

    /** Writes what is held from now on, and what was spent. @returns false if the budget does not pay for it */
    async change(after: Big, { isReserved }: { isReserved: boolean }): Promise<boolean> {
      for (let attempt = 0; holding.budget && attempt < attemptsMax; attempt++) {
        const before = holding.budget;
        // Calls may end meanwhile.
        const { spent } = holding;
        const held = await writeReservation(scope, before, {
          holder,
          before: hold,
          after,
          spent,
          isReserved,
        });
        isSeen = true;
        holding.budget = held.result === 'deleted' ? undefined : held.budget;
        if (held.result === 'refused') return false;
        if (held.result === 'written') {
          hold = held.hold;
          holding.spent = holding.spent.minus(spent);
          return true;
        }
        if (isKept()) continue;
        hold = undefined;
        const isOver = holding.budget?.periodStart !== before.periodStart;
        if (isOver) forget();
        if (isOver && !isReserved) return true;
      }
      if (holding.budget) throw new Error('What a process holds of a budget is lost again and again');
      return true;
    },

    /** Releases what dead processes hold. @returns whether there was anything */
    async release(): Promise<boolean> {
      const released = holding.budget && (await releaseDead(scope, holding.budget));
      holding.budget = released ?? holding.budget;
      return released !== undefined;
    },
  };

  /** A new period begins without holds. If somebody changed when periods begin, they stay. */
  const isKept = () => hold !== undefined && holding.budget?.holds[holder]?.version === hold.version;

  function forget(): void {
    holding.forgotten++;
    hold = undefined;
    holding.inCalls = zero;
    holding.spent = zero;
  }

  return holding;
}

/** How many calls a slice is for. */
const callsPerSlice = 15;
/** A hundred processes that each hold a slice leave a part for others. */
const partOfBudget = 128;

/**
 * How much more than a call needs a process takes from a budget, in USD. Far from the limit that saves the requests of later
 * calls; near it, where a slice would be smaller than a call, each call takes what it needs.
 */
function budgetSlice(left: Big, wanted: Big): Big {
  const part = left.div(partOfBudget);
  if (part.lt(wanted)) return new Big(0);
  const slice = wanted.times(callsPerSlice);
  return (part.lt(slice) ? part : slice).round(12, Big.roundDown);
}
