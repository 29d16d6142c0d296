import Big from 'big.js';
import type { ModelLimits, ModelRequest } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { orAborted } from '../../core/concurrency/abort.ts';
import { StepError } from '../../core/errors/step-error.ts';
import {
  getAffordableTokens,
  getLongestResponse,
  getWorstCaseCost,
  type NextCall,
  priceTexts,
  responseTokensMin,
  settleAtEnd,
} from '../model-calls/call-cost.ts';
import { estimateTokens } from './compaction.ts';

/** Ports whose calls of models keep to a budget: each has its highest cost set aside before it begins. */
export function enforceRunBudget(ports: Ports, budget: RunBudget): Ports {
  if (budget.getRemaining() === undefined) return ports;
  return {
    ...ports,
    model: {
      ...ports.model,
      async *stream(asked) {
        const { request, cost, release } = await reserveCall(ports, budget, asked);
        yield* settleAtEnd(ports.model.stream(request), (charged) => {
          release();
          budget.charge(charged ?? cost);
        });
      },
    },
    async embed(request) {
      const limits = await ports.model.limits(request.model);
      if (!limits.prices?.length) throw createUnpricedError(request.model);
      const cost = priceTexts(request.texts, limits) ?? new Big(0);
      const left = budget.getRemaining() ?? new Big(0);
      if (left.lte(0) || left.lt(cost)) throw new BudgetSpent();
      const answer = await ports.embed(request);
      budget.charge(answer.estimatedCost ?? '0');
      return answer;
    },
  };
}

/** How long the response of a call may be, for what is left; undefined if that does not pay for it. */
export function limitResponseTokens(left: Big, call: NextCall, limits: ModelLimits): number | undefined {
  const affordable = getAffordableTokens(left, call, limits);
  const longest = getLongestResponse(call, limits) ?? Number.POSITIVE_INFINITY;
  if (affordable === undefined) return longest;
  const isEnough = left.gt(0) && affordable >= Math.min(responseTokensMin, longest);
  return isEnough ? Math.min(affordable, longest) : undefined;
}

export const createUnpricedError = (model: string) =>
  new StepError(
    `The model ${model} has no known price, so the run cannot keep to its maxCost; set the prices of its model config, or remove maxCost`,
  );

/** A call that may begin: shortened to what is left. Waits for calls beside it before it is shortened. @throws StepError */
async function reserveCall(ports: Ports, budget: RunBudget, request: ModelRequest) {
  const { model, messages, tools, settings, signal } = request;
  const limits = await ports.model.limits(model);
  if (!limits.prices?.length) throw createUnpricedError(model);
  const inputTokens = request.inputTokens ?? estimateTokens(messages, { tools: tools ?? [] });
  const call: NextCall = { inputTokens, maxTokens: settings?.maxTokens };
  const longest = getLongestResponse(call, limits) ?? Number.POSITIVE_INFINITY;
  for (;;) {
    const maxTokens = limitResponseTokens(budget.getRemaining() ?? new Big(0), call, limits);
    const isShort = maxTokens === undefined || maxTokens < longest;
    const released = isShort ? budget.waitForRelease() : undefined;
    if (released) await orAborted(released, signal);
    else if (maxTokens === undefined) throw new BudgetSpent();
    else {
      const limited = isShort ? { ...call, maxTokens } : call;
      const cost = getWorstCaseCost(limited, limits) ?? new Big(0);
      const shortened = isShort ? { ...request, settings: { ...settings, maxTokens } } : request;
      return { request: shortened, cost, release: budget.reserve(cost) };
    }
  }
}

/** What a run may cost in USD, with all runs inside of it. One inside of another draws from the budgets of both. */
export interface RunBudget {
  /** What is neither spent nor reserved; undefined without a limit. */
  getRemaining: () => Big | undefined;
  charge: (cost: Big | string) => void;
  /** Sets aside what a call may cost. @returns what ends that */
  reserve: (cost: Big) => () => void;
  /** Resolves when a call that has something set aside ends; undefined if there is none. */
  waitForRelease: () => Promise<void> | undefined;
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
    getRemaining() {
      const above = outer?.getRemaining();
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
    waitForRelease: () => outer?.waitForRelease() ?? (reservations > 0 ? changed.promise : undefined),
  };
}

/** The budget does not pay for a call. */
export class BudgetSpent extends StepError {
  constructor() {
    super('The maxCost of the run is reached');
  }
}
