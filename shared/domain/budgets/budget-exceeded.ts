import { StepError } from '../../core/errors/step-error.ts';
import type { Budget } from './budget/budget.ts';
import { periodAt } from './periods.ts';

/** A budget does not pay for a call of a model. Neither a retry nor another model is tried. */
export class BudgetExceeded extends StepError {
  constructor(budget: Budget, now: Date) {
    super(spentText(budget, now), { code: 'BUDGET_EXCEEDED' });
  }
}

export function spentText(budget: Budget, now: Date): string {
  const { end } = periodAt(budget, now);
  const rest = end === null ? 'raise its limit' : `raise its limit, or wait until ${end}`;
  return `The budget "${budget.name}" of $${budget.limit} is spent; ${rest}`;
}
