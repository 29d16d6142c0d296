import type { Payer } from '../../adapters/ports/payer.ts';
import { ServiceError } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { recentModelAccount } from '../model-configs/select-model.ts';
import { isFor } from './budget/budget.ts';
import { explainSpent, isSpent } from './budget-view.ts';

/**
 * For the start of what may call a model. Reads what the first call of a model would read, so that a run in the same
 * process needs no further request.
 */
export const budgetGate = /* @__PURE__ */ using(
  [recentModelAccount],
  (scope: Scope) =>
    /** @throws BUDGET_EXCEEDED if a budget of one of the payers is spent */
    async (payers: readonly Payer[]): Promise<void> => {
      const { budgets } = await recentModelAccount(scope);
      const now = scope.now();
      const spent = budgets.find((budget) => isFor(budget, payers) && isSpent(budget, now));
      if (spent) throw new ServiceError('BUDGET_EXCEEDED', explainSpent(spent, now));
    },
);
