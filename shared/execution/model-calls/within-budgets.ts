import Big from 'big.js';
import { tokensOfMessage } from '../../adapters/models/usage.ts';
import type { EmbeddingResponse } from '../../adapters/ports/embedding-port.ts';
import type { ModelLimits, ModelMessage, ModelRequest } from '../../adapters/ports/model-port.ts';
import type { Payer } from '../../adapters/ports/payer.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { beforeInvocationEnds } from '../../core/invocation.ts';
import { type Budget, isFor } from '../../domain/budgets/budget/budget.ts';
import { BudgetExceeded } from '../../domain/budgets/budget-view.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  affordableTokens,
  longestResponse,
  type NextCall,
  responseTokensMin,
  settling,
  worstCaseCost,
} from './call-cost.ts';
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

/** Roles and separators. */
const tokensPerPart = 8;
/** The instructions that providers add for the calling of tools. */
const tokensForTools = 512;

/** Of a model of which no longest response is known. */
const responseTokensDefault = 16_384;

interface PricedCall {
  cost: Cost;
  /** How long its response may be for an amount in USD; undefined if the request states that itself. */
  responseFor: (amount: Big) => number | undefined;
}

/**
 * What a call may cost at most; undefined if its price is not known. Of a request that states no limit for its response, a
 * shorter one does.
 */
function costOfRequest(request: ModelRequest, known: ModelLimits): PricedCall | undefined {
  const { outputTokens = known.contextTokens ?? responseTokensDefault } = known;
  // The bound for the input is too high to say how much of the context is left.
  const limits = { ...known, outputTokens, contextTokens: undefined };
  const maxTokens = request.settings?.maxTokens;
  const call: NextCall = { inputTokens: tokensMax(request), maxTokens };
  const wanted = worstCaseCost(call, limits);
  if (wanted === undefined) return undefined;
  if (maxTokens !== undefined) return { cost: { wanted, least: wanted }, responseFor: () => undefined };
  const longest = longestResponse(call, limits) ?? outputTokens;
  const shortest = { ...call, maxTokens: Math.min(longest, responseTokensMin) };
  return {
    cost: { wanted, least: worstCaseCost(shortest, limits) ?? wanted },
    responseFor: (amount) => Math.min(affordableTokens(amount, call, limits) ?? longest, longest),
  };
}

export function costOfTexts(texts: readonly string[], limits: ModelLimits): Big | undefined {
  const inputTokens = texts.reduce((sum, text) => sum + bytesOf(text) + tokensPerPart, 0);
  return worstCaseCost({ inputTokens, maxTokens: 0 }, limits);
}

/** An upper bound: no token is shorter than a byte of UTF-8. */
function tokensMax({ messages, tools = [], format }: ModelRequest): number {
  const ofTools = tools.reduce(
    (sum, tool) => sum + bytesOf(JSON.stringify(tool)) + tokensPerPart,
    tools.length > 0 ? tokensForTools : 0,
  );
  const ofFormat = format?.type === 'json' && format.schema ? bytesOf(JSON.stringify(format.schema)) : 0;
  return messages.reduce((sum, each) => sum + tokensOf(each), tokensPerPart + ofTools + ofFormat);
}

/** Files have an estimate, which providers charge at most. */
function tokensOf({ role, content }: ModelMessage): number {
  if (typeof content === 'string') return bytesOf(content) + tokensPerPart;
  return content.reduce((sum: number, part) => {
    if (part.type === 'file') return sum + tokensOfMessage({ role: 'user', content: [part] });
    return sum + bytesOf(JSON.stringify({ role, part })) + tokensPerPart;
  }, 0);
}

const bytesOf = (text: string) => Buffer.byteLength(text);
