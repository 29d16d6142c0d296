import Big from 'big.js';
import type { Budget } from '../../domain/budgets/budget/budget.ts';
import { type Hold, inPeriod, releaseDead, writeHolding } from '../../domain/budgets/spending.ts';
import { toDollars } from '../../domain/model-usage/cost-units.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** A slice is renewed in time for the longest call. */
const renewedBeforeMs = 12 * 60_000;
const attemptsMax = 10;
const zero = new Big(0);

/** One change at a time: the caller waits for each. */
export function openHolding(scope: Scope, found: Budget) {
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
      holding.budget = await inPeriod(scope, holding.budget);
      if (holding.budget?.periodStart !== before && !isKept()) forget();
    },

    /** Writes what is held from now on, and what was spent. @returns false if the budget does not pay for it */
    async change(after: Big, { isReserved }: { isReserved: boolean }): Promise<boolean> {
      for (let attempt = 0; holding.budget && attempt < attemptsMax; attempt++) {
        const before = holding.budget;
        // Calls may end meanwhile.
        const { spent } = holding;
        const held = await writeHolding(scope, before, { holder, before: hold, after, spent, isReserved });
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
