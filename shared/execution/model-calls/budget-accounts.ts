/**
 * The budgets of a tenant (its own, of a product, surface, key, flow, agent or config) as accounts of model calls.
 * Reservations are per invocation and shared by its runs; they are flushed before the invocation ends, and by
 * `settleBudgets` before a run is shown as over.
 * Without a budget nothing is asked. A model without a price is called all the same, and its budgets say so, unless its
 * name may be another one of a model with a price.
 */
import type { ModelLimits } from '../../adapters/ports/model-port.ts';
import type { Payer } from '../../adapters/ports/payer.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { hasCode, ServiceError } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { onInvocationEnd } from '../../core/invocation.ts';
import { type Budget, isFor } from '../../domain/budgets/budget/budget.ts';
import { BudgetExceeded } from '../../domain/budgets/budget-view.ts';
import { budgetGate } from '../../domain/budgets/spending.ts';
import { getStepType } from '../../domain/flows/step-types/index.ts';
import { walkSteps } from '../../domain/flows/steps/held-lists.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { BudgetReservations } from './budget-reservations.ts';
import { priceRequest, priceTexts } from './call-cost.ts';
import type { FindPayment, SpendingAccount } from './pipeline.ts';

/** What decides a call: the budgets of the tenant, and what is known of the model. */
export interface PricedModel {
  budgets: readonly Budget[];
  limits: ModelLimits;
  configId: string | undefined;
  /** Why a budget that blocks does not pay for it without a price. */
  unknown: string | undefined;
}

/** The budgets of an invocation. Runs in it share what they hold. */
const reservationsByScope = new WeakMap<Scope, Map<string, BudgetReservations>>();

const loadReservations = /* @__PURE__ */ loadOnce(() => import('./budget-reservations.ts'));

async function getReservations(scope: Scope, budget: Budget): Promise<BudgetReservations> {
  const { openBudgetReservations } = await loadReservations();
  const ofScope = reservationsByScope.get(scope) ?? new Map<string, BudgetReservations>();
  reservationsByScope.set(scope, ofScope);
  const reservations = ofScope.get(budget.id) ?? openBudgetReservations(scope, budget);
  if (!ofScope.has(budget.id)) {
    ofScope.set(budget.id, reservations);
    onInvocationEnd(reservations.flush);
  }
  return reservations;
}

/** Writes what the runs of an invocation have spent, so that whoever sees that they ended sees it. */
export async function settleBudgets(scope: Scope): Promise<void> {
  await Promise.all(
    [...(reservationsByScope.get(scope)?.values() ?? [])].map((reservations) => reservations.flush()),
  );
}

/** @param payers On whose account all calls are. */
export const findBudgets =
  (
    scope: Scope,
    payers: readonly Payer[],
    pricedModel: (name: string) => Promise<PricedModel>,
  ): FindPayment =>
  async (request) => {
    const { configId, limits, unknown, ...priced } = await pricedModel(request.model);
    const config = configId === undefined ? [] : [{ type: 'modelConfig' as const, id: configId }];
    const all = [...payers, ...(request.payers ?? []), ...config];
    const budgets = priced.budgets.filter((budget) => isFor(budget, all));
    if (budgets.length === 0) return undefined;
    const price = 'texts' in request ? priceTexts(request.texts, limits) : priceRequest(request, limits);
    if (price) return { accounts: budgets.map((budget) => openAccount(scope, budget)), price };
    if (unknown !== undefined && budgets.some(({ action }) => action === 'block'))
      throw new StepError(unknown);
    await Promise.all(budgets.map(async (budget) => (await getReservations(scope, budget)).markUncounted()));
    return undefined;
  };

const openAccount = (scope: Scope, budget: Budget): SpendingAccount => ({
  async reserve(cost, signal) {
    const reservation = await (await getReservations(scope, budget)).reserve(cost, signal);
    if (!reservation) throw new BudgetExceeded(budget, scope.now());
    return reservation;
  },
});

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
