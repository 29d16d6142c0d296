import type { Payer } from '../../adapters/ports/payer.ts';
import { budgetGate } from '../../domain/budgets/budget-gate.ts';
import { stepTypeOf } from '../../domain/flows/step-types/index.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { walkSteps } from '../../domain/flows/steps/walk-steps.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { payersOf } from './payers.ts';

interface Start {
  origin?: RunOrigin | undefined;
  surface?: RunSurface | undefined;
}

const mayCallModels = (steps: readonly FlowStep[]): boolean =>
  [...walkSteps(steps)].some(({ step }) => step.enabled && stepTypeOf(step.type).callsModels);

/** Refuses what may call a model if a budget that pays for it is spent. */
export const startGate = /* @__PURE__ */ using([budgetGate], (scope: Scope) => {
  const check = (payer: Payer, start: Start) => budgetGate(scope)([...payersOf(start), payer]);
  return {
    /** @throws BUDGET_EXCEEDED */
    async flow(id: string, steps: readonly FlowStep[], start: Start): Promise<void> {
      if (mayCallModels(steps)) await check({ type: 'flow', id }, start);
    },

    /** @param id Null for one that exists for this run only. @throws BUDGET_EXCEEDED */
    agent: (id: string | null, start: Start): Promise<void> =>
      id === null ? budgetGate(scope)(payersOf(start)) : check({ type: 'agent', id }, start),
  };
});
