import { setTimeout as sleep } from 'node:timers/promises';
import Big from 'big.js';
import { log } from '../../core/log.ts';
import type { Budget } from '../../domain/budgets/budget/budget.ts';
import { type Hold, inPeriod, noteOnce, releaseDead, writeHolding } from '../../domain/budgets/spending.ts';
import { dollarsOf, unitsOf } from '../../domain/model-usage/cost-units.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { sliceOf } from './slices.ts';

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

/** What a process holds of a budget. Several calls take from it, so that few of them need a request. */
export interface Purse {
  /** @returns undefined if the budget does not pay for the call */
  take: (cost: Cost, signal: AbortSignal) => Promise<Grant | undefined>;
  /** Notes a call of a model without a price. */
  noteUncounted: () => Promise<void>;
  /** Writes what is spent, and gives back what no call needs. */
  flush: () => Promise<void>;
}

const pauseMs = { first: 50, most: 500 };
/** A slice is renewed in time for the longest call. */
const renewedBeforeMs = 12 * 60_000;
/** Somebody who looks at the budget sees what was spent. */
const idleMs = 1_000;

/** @param waitMs How long a call waits for what others hold, which may come back. */
export function openPurse(scope: Scope, found: Budget, waitMs = 5_000): Purse {
  const { now } = scope;
  const holder = scope.newId('hold');
  const zero = new Big(0);
  let budget: Budget | undefined = found;
  let hold: Hold | undefined;
  let [inCalls, spent] = [zero, zero];
  let isSeen = false;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  /** One change at a time. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  function forget(): void {
    hold = undefined;
    [inCalls, spent] = [zero, zero];
  }

  /** Begins the period of now. What was held and spent in the one before is over. */
  async function renew(): Promise<void> {
    if (!budget) return;
    const before = budget.periodStart;
    budget = await inPeriod(scope, budget);
    if (budget?.periodStart !== before) forget();
  }

  /** Changes what is held; undefined if the budget does not pay for it. */
  async function change(after: Big, isReserved: boolean): Promise<boolean> {
    for (let attempt = 0; budget && attempt < 10; attempt++) {
      // Calls may end meanwhile.
      const settled = spent;
      const held = await writeHolding(scope, budget, {
        holder,
        before: hold,
        after,
        spent: settled,
        isReserved,
      });
      isSeen = true;
      if (held.result === 'deleted') {
        budget = undefined;
        break;
      }
      const isSamePeriod = held.budget.periodStart === budget.periodStart;
      budget = held.budget;
      if (held.result === 'written') {
        hold = held.hold;
        spent = spent.minus(settled);
        return true;
      }
      if (held.result === 'refused') return false;
      if (!isSamePeriod) forget();
      if (!isSamePeriod && !isReserved) return true;
      hold = undefined;
    }
    if (budget) throw new Error('What a process holds of a budget is lost again and again');
    return true;
  }

  const isFresh = () => hold && Date.parse(hold.until) - now().getTime() > renewedBeforeMs;
  const free = () => (hold?.amount ?? zero).minus(inCalls).minus(spent);

  /** What the budget has, with what this process may still use. */
  const available = (left: Big) => dollarsOf(left).plus(free());

  /** In whole units, in which sums are exact. */
  const exact = (cost: Big) => dollarsOf(new Big(unitsOf(cost)));

  function granted(amount: Big): Grant {
    inCalls = inCalls.plus(amount);
    const period = budget?.periodStart;
    return {
      amount,
      settle(cost) {
        if (!budget || period !== budget.periodStart) return;
        inCalls = inCalls.minus(amount);
        spent = spent.plus(exact(cost));
        const isNear = sliceOf(dollarsOf(budget.left), amount).eq(0);
        if (isNear) void flush();
        else flushWhenIdle();
      },
    };
  }

  async function tryToTake({ wanted, least }: Cost): Promise<Grant | undefined> {
    await renew();
    if (isFresh() && free().gte(wanted)) return granted(wanted);
    let amount = wanted;
    let slice = isSeen && budget ? sliceOf(dollarsOf(budget.left), wanted) : zero;
    for (;;) {
      if (!budget) return granted(wanted);
      if (await change(inCalls.plus(amount).plus(slice), true)) return granted(amount);
      const most = available(budget.left);
      if (most.gte(least)) amount = most.lt(wanted) ? most : wanted;
      else if (!(await release())) return undefined;
      slice = zero;
    }
  }

  async function release(): Promise<boolean> {
    const released = budget && (await releaseDead(scope, budget));
    budget = released ?? budget;
    return released !== undefined;
  }

  const othersHold = () => inCalls.gt(0) || Object.keys(budget?.holds ?? {}).some((name) => name !== holder);

  async function take(cost: Cost, signal: AbortSignal): Promise<Grant | undefined> {
    clearTimeout(idle);
    const deadline = performance.now() + waitMs;
    for (let pause = pauseMs.first; ; pause = Math.min(pauseMs.most, pause * 2)) {
      const grant = await inTurn(() => tryToTake({ wanted: exact(cost.wanted), least: exact(cost.least) }));
      if (grant) return grant;
      if (!othersHold() || performance.now() >= deadline) break;
      await sleep(pause * (0.5 + Math.random() / 2), undefined, { signal });
    }
    if (budget) await noteOnce(scope, budget, 'refused');
    return undefined;
  }

  function flush(): Promise<void> {
    clearTimeout(idle);
    return inTurn(async () => {
      if (budget && (spent.gt(0) || hold?.amount.gt(inCalls))) await change(inCalls, false);
    }).catch((error) => log.error('What was spent of a budget could not be written', { error }));
  }

  function flushWhenIdle(): void {
    clearTimeout(idle);
    if (inCalls.eq(0)) idle = setTimeout(flush, idleMs).unref();
  }

  return {
    take,
    flush,
    noteUncounted: async () => {
      if (budget) await noteOnce(scope, budget, 'uncounted');
      if (budget) budget = { ...budget, uncounted: true };
    },
  };
}
