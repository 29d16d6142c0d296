import Big from 'big.js';
import { StepError } from '../../core/errors/step-error.ts';

/** What a run may cost in USD, with all runs inside of it. One inside of another draws from the budgets of both. */
export interface RunBudget {
  /** What is neither spent nor reserved; undefined without a limit. */
  left: () => Big | undefined;
  charge: (cost: Big | string) => void;
  /** Sets aside what a call may cost. @returns what ends that */
  reserve: (cost: Big) => () => void;
  /** Resolves when a call that has something set aside ends; undefined if there is none. */
  released: () => Promise<void> | undefined;
}

/** @param spent What the run has cost so far, with the runs inside of it that have ended. */
export function openBudget(maxCost: number | undefined, spent: Big, outer?: RunBudget): RunBudget {
  let left = maxCost === undefined ? undefined : new Big(maxCost);
  let reservations = 0;
  let changed = Promise.withResolvers<void>();
  const charge = (cost: Big | string) => {
    left = left?.minus(cost);
    outer?.charge(cost);
  };
  charge(spent);
  return {
    left() {
      const above = outer?.left();
      if (left === undefined || above === undefined) return left ?? above;
      return left.lt(above) ? left : above;
    },
    charge,
    reserve(cost) {
      const release = outer?.reserve(cost);
      left = left?.minus(cost);
      reservations++;
      return () => {
        release?.();
        left = left?.plus(cost);
        reservations--;
        changed.resolve();
        changed = Promise.withResolvers();
      };
    },
    released: () => outer?.released() ?? (reservations > 0 ? changed.promise : undefined),
  };
}

/** The budget does not pay for a call. */
export class BudgetSpent extends StepError {
  constructor() {
    super('The maxCost of the run is reached');
  }
}
