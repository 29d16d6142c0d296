/**
 * Ports whose model calls keep to the budgets of those who pay for them (tenant, product, surface, key, flow, agent,
 * config).
 * Of each call: find the budgets, compute its highest cost, reserve it in every budget in order, shorten the response to
 * what was reserved, make the call, settle with its cost, or with the whole reservation if nobody knows the cost. If one
 * budget refuses, the reservations so far are settled with 0.
 * Reservations are per invocation and shared by its runs; they are flushed before the invocation ends, and by
 * `settleBudgets` before a run is shown as over. `enforceRunBudget` (`agent-loop/run-budget.ts`) does the same for the
 * `maxCost` of one run, in memory.
 * Its place among the wrappers of a model call is explained in `open-ports.ts`.
 */
import Big from 'big.js';
import type { EmbeddingResponse } from '../../adapters/ports/embedding-port.ts';
import type { ModelLimits, ModelRequest } from '../../adapters/ports/model-port.ts';
import type { Payer } from '../../adapters/ports/payer.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { onInvocationEnd } from '../../core/invocation.ts';
import { type Budget, isFor } from '../../domain/budgets/budget/budget.ts';
import { BudgetExceeded } from '../../domain/budgets/budget-view.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { BudgetReservations, Cost, Reservation } from './budget-reservations.ts';
import { type PricedCall, priceRequest, priceTexts, settleAtEnd } from './call-cost.ts';

/** What decides a call: the budgets of the tenant, and what is known of the model. */
export interface PricedModel {
  budgets: readonly Budget[];
  limits: ModelLimits;
  configId: string | undefined;
  /** Why a budget that blocks does not pay for it without a price. */
  unknown: string | undefined;
}

type ModelPorts = Pick<Ports, 'model' | 'embed'>;

/** The budgets of an invocation. Runs in it share what they hold. */
const reservationsByScope = new WeakMap<Scope, Map<string, BudgetReservations>>();

const loadReservations = loadOnce(() => import('./budget-reservations.ts'));

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

/**
 * Ports whose calls of models keep to the budgets of those who pay for them: the highest cost of each is set aside before
 * it begins, and what it cost is settled when it has ended. Without a budget nothing is asked.
 */
export function enforceBudgets(
  scope: Scope,
  ports: ModelPorts,
  payers: readonly Payer[],
  pricedModel: (name: string) => Promise<PricedModel>,
): ModelPorts {
  async function findBudgets({ model, payers: more = [] }: Pick<ModelRequest, 'model' | 'payers'>) {
    const { configId, ...priced } = await pricedModel(model);
    const config = configId === undefined ? [] : [{ type: 'modelConfig' as const, id: configId }];
    const all = [...payers, ...more, ...config];
    return { ...priced, budgets: priced.budgets.filter((budget) => isFor(budget, all)) };
  }

  return {
    model: {
      ...ports.model,
      async *stream(request) {
        const { budgets, limits, unknown } = await findBudgets(request);
        if (budgets.length === 0) return yield* ports.model.stream(request);
        const call = priceRequest(request, limits);
        if (!call) assertUncounted(budgets, unknown);
        const reservations = await reserveAll(scope, budgets, call?.cost, request.signal);
        yield* settleAtEnd(ports.model.stream(limitResponse(request, call, reservations)), (charged) =>
          settle(reservations, charged),
        );
      },
    },
    async embed(request) {
      const { budgets, limits, unknown } = await findBudgets(request);
      if (budgets.length === 0) return ports.embed(request);
      const cost = priceTexts(request.texts, limits);
      if (!cost) assertUncounted(budgets, unknown);
      const reservations = await reserveAll(
        scope,
        budgets,
        cost && { wanted: cost, least: cost },
        request.signal,
      );
      let answer: EmbeddingResponse | undefined;
      try {
        answer = await ports.embed(request);
        return answer;
      } finally {
        settle(reservations, answer ? (answer.estimatedCost ?? undefined) : '0');
      }
    },
  };
}

/** @throws StepError if the model may only be another name of one with a price */
function assertUncounted(budgets: readonly Budget[], unknown: string | undefined): void {
  if (unknown !== undefined && budgets.some(({ action }) => action === 'block')) throw new StepError(unknown);
}

/** What the budgets set aside for a call; nothing for a model without a price. @throws BudgetExceeded */
async function reserveAll(
  scope: Scope,
  budgets: readonly Budget[],
  cost: Cost | undefined,
  signal: AbortSignal,
): Promise<Reservation[]> {
  const reservations: Reservation[] = [];
  if (!cost) {
    await Promise.all(budgets.map(async (budget) => (await getReservations(scope, budget)).markUncounted()));
    return reservations;
  }
  let { wanted } = cost;
  try {
    for (const budget of budgets) {
      const ofBudget = await getReservations(scope, budget);
      const reservation = await ofBudget.reserve({ ...cost, wanted }, signal);
      if (!reservation) throw new BudgetExceeded(budget, scope.now());
      reservations.push(reservation);
      if (reservation.amount.lt(wanted)) wanted = reservation.amount;
    }
    return reservations;
  } catch (error) {
    settle(reservations, '0');
    throw error;
  }
}

/** A request that states no limit for its response gets one that what is set aside pays for. */
function limitResponse(
  request: ModelRequest,
  call: PricedCall | undefined,
  reservations: readonly Reservation[],
): ModelRequest {
  // Each budget was asked for no more than the one before gave.
  const maxTokens = call?.responseFor(reservations.at(-1)?.amount ?? call.cost.wanted);
  return maxTokens === undefined ? request : { ...request, settings: { ...request.settings, maxTokens } };
}

/** @param cost USD; undefined if it is not known, which counts as what was set aside */
function settle(reservations: readonly Reservation[], cost: string | undefined): void {
  for (const reservation of reservations)
    reservation.settle(cost === undefined ? reservation.amount : new Big(cost));
}
