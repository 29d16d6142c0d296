import Big from 'big.js';
import type { EmbeddingResponse } from '../../adapters/ports/embedding-port.ts';
import type { ModelLimits, ModelRequest } from '../../adapters/ports/model-port.ts';
import type { Payer } from '../../adapters/ports/payer.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { beforeInvocationEnds } from '../../core/invocation.ts';
import { type Budget, isFor } from '../../domain/budgets/budget/budget.ts';
import { BudgetExceeded } from '../../domain/budgets/budget-view.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { costOfRequest, costOfTexts, type PricedCall, settling } from './call-cost.ts';
import type { Cost, Grant, Purse } from './purse.ts';

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
const purses = new WeakMap<Scope, Map<string, Purse>>();

const loadPurse = loadOnce(() => import('./purse.ts'));

async function purseOf(scope: Scope, budget: Budget): Promise<Purse> {
  const { openPurse } = await loadPurse();
  const known = purses.get(scope) ?? new Map<string, Purse>();
  purses.set(scope, known);
  const purse = known.get(budget.id) ?? openPurse(scope, budget);
  if (!known.has(budget.id)) {
    known.set(budget.id, purse);
    beforeInvocationEnds(purse.flush);
  }
  return purse;
}

/** Writes what the runs of an invocation have spent, so that whoever sees that they ended sees it. */
export async function settleBudgets(scope: Scope): Promise<void> {
  await Promise.all([...(purses.get(scope)?.values() ?? [])].map((purse) => purse.flush()));
}

/**
 * Ports whose calls of models keep to the budgets of those who pay for them: the highest cost of each is set aside before
 * it begins, and what it cost is settled when it has ended. Without a budget nothing is asked.
 */
export function withinBudgets(
  scope: Scope,
  ports: ModelPorts,
  payers: readonly Payer[],
  pricedModel: (name: string) => Promise<PricedModel>,
): ModelPorts {
  async function budgetsOf({ model, payers: more = [] }: Pick<ModelRequest, 'model' | 'payers'>) {
    const { configId, ...priced } = await pricedModel(model);
    const config = configId === undefined ? [] : [{ type: 'modelConfig' as const, id: configId }];
    const all = [...payers, ...more, ...config];
    return { ...priced, budgets: priced.budgets.filter((budget) => isFor(budget, all)) };
  }

  return {
    model: {
      ...ports.model,
      async *stream(request) {
        const { budgets, limits, unknown } = await budgetsOf(request);
        if (budgets.length === 0) return yield* ports.model.stream(request);
        const call = costOfRequest(request, limits);
        if (!call) assertUncounted(budgets, unknown);
        const grants = await granted(scope, budgets, call?.cost, request.signal);
        yield* settling(ports.model.stream(limited(request, call, grants)), (charged) =>
          settle(grants, charged),
        );
      },
    },
    async embed(request) {
      const { budgets, limits, unknown } = await budgetsOf(request);
      if (budgets.length === 0) return ports.embed(request);
      const cost = costOfTexts(request.texts, limits);
      if (!cost) assertUncounted(budgets, unknown);
      const grants = await granted(scope, budgets, cost && { wanted: cost, least: cost }, request.signal);
      let answer: EmbeddingResponse | undefined;
      try {
        answer = await ports.embed(request);
        return answer;
      } finally {
        settle(grants, answer ? (answer.estimatedCost ?? undefined) : '0');
      }
    },
  };
}

/** @throws StepError if the model may only be another name of one with a price */
function assertUncounted(budgets: readonly Budget[], unknown: string | undefined): void {
  if (unknown !== undefined && budgets.some(({ action }) => action === 'block')) throw new StepError(unknown);
}

/** What the budgets set aside for a call; nothing for a model without a price. @throws BudgetExceeded */
async function granted(
  scope: Scope,
  budgets: readonly Budget[],
  cost: Cost | undefined,
  signal: AbortSignal,
): Promise<Grant[]> {
  const grants: Grant[] = [];
  if (!cost) {
    await Promise.all(budgets.map(async (budget) => (await purseOf(scope, budget)).noteUncounted()));
    return grants;
  }
  let { wanted } = cost;
  try {
    for (const budget of budgets) {
      const purse = await purseOf(scope, budget);
      const grant = await purse.take({ ...cost, wanted }, signal);
      if (!grant) throw new BudgetExceeded(budget, scope.now());
      grants.push(grant);
      if (grant.amount.lt(wanted)) wanted = grant.amount;
    }
    return grants;
  } catch (error) {
    settle(grants, '0');
    throw error;
  }
}

/** A request that states no limit for its response gets one that what is set aside pays for. */
function limited(
  request: ModelRequest,
  call: PricedCall | undefined,
  grants: readonly Grant[],
): ModelRequest {
  // Each budget was asked for no more than the one before gave.
  const maxTokens = call?.responseFor(grants.at(-1)?.amount ?? call.cost.wanted);
  return maxTokens === undefined ? request : { ...request, settings: { ...request.settings, maxTokens } };
}

/** @param cost USD; undefined if it is not known, which counts as what was set aside */
function settle(grants: readonly Grant[], cost: string | undefined): void {
  for (const grant of grants) grant.settle(cost === undefined ? grant.amount : new Big(cost));
}
