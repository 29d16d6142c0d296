import { setTimeout as sleep } from 'node:timers/promises';
import Big from 'big.js';
import { log } from '../../core/log.ts';
import type { Budget } from '../../domain/budgets/budget/budget.ts';
import { noteOnce } from '../../domain/budgets/spending.ts';
import { toCostUnits, toDollars } from '../../domain/model-usage/cost-units.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { openHolding } from './holding.ts';
import { budgetSlice } from './slices.ts';

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
    if (holding.budget) await noteOnce(scope, holding.budget, 'refused');
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
    await noteOnce(scope, budget, 'uncounted');
    holding.budget = { ...budget, uncounted: true };
  }

  return { take, flush, noteUncounted };
}
