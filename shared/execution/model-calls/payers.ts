import type { Payer } from '../../adapters/ports/payer.ts';
import { hasCode, ServiceError } from '../../core/errors/errors.ts';
import { budgetGate } from '../../domain/budgets/spending.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

interface Owner {
  origin?: RunOrigin | undefined;
  surface?: RunSurface | undefined;
}

/** On whose account a run calls models, by what started it. */
export function runPayers({ origin, surface }: Owner): Payer[] {
  const { trigger } = origin ?? {};
  const ids = {
    product: trigger?.productId ?? surface?.productId,
    surface: trigger?.surfaceId ?? surface?.surfaceId,
    apiKey: trigger?.apiKeyId,
    clientToken: origin?.clientTokenId,
  };
  return Object.entries(ids).flatMap(([type, id]) => (id ? [{ type: type as keyof typeof ids, id }] : []));
}

interface Start {
  origin?: RunOrigin | undefined;
  surface?: RunSurface | undefined;
}

const mayCallModels = (steps: readonly FlowStep[]): boolean =>
  [...walkSteps(steps)].some(({ step }) => step.enabled && getStepType(step.type).callsModels);

/** Whether somebody else than the tenant calls, to whom its budgets are nobody's business. */
const isOutward = ({ surface, origin }: Start) =>
  surface !== undefined || origin?.clientTokenId !== undefined || origin?.trigger.type === 'client';

const createOperatorBudgetError = () =>
  new ServiceError(
    'BUDGET_EXCEEDED',
    'The operator has spent what calls of models may cost; try again later',
  );

/** Refuses what may call a model if a budget that pays for it is spent. */
export const startBudgetCheck = /* @__PURE__ */ using([budgetGate], (scope: Scope) => {
  const check = (payers: readonly Payer[], start: Start) =>
    budgetGate(scope)([...runPayers(start), ...payers]).catch((error) => {
      throw isOutward(start) && hasCode(error, 'BUDGET_EXCEEDED') ? createOperatorBudgetError() : error;
    });
  return {
    /** @throws BUDGET_EXCEEDED */
    async flow(id: string, steps: readonly FlowStep[], start: Start): Promise<void> {
      if (mayCallModels(steps)) await check([{ type: 'flow', id }], start);
    },

    /** @param id Null for one that exists for this run only. @throws BUDGET_EXCEEDED */
    agent: (id: string | null, start: Start): Promise<void> =>
      check(id === null ? [] : [{ type: 'agent', id }], start),
  };
});
