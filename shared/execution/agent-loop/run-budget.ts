/**
 * What one run may cost (`maxCost`), with all runs inside of it, as an account of model calls, in memory.
 * `enforceRunBudget` is the layer of a run's ports, `openBudget` the account. A call waits for those beside it before its
 * response is shortened. The loop asks before each turn whether the budget pays for another one (`mayPay`).
 * A process that takes over a run opens its budget with what the log says was spent; calls under way in a process that
 * died are not counted.
 */
import Big from 'big.js';
import type { ModelLimits, ModelRequest } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { orAborted } from '../../core/concurrency/abort.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { type Cost, type PricedCall, priceCall, priceTexts } from '../model-calls/call-cost.ts';
import { enforceAccounts, type Reservation, type SpendingAccount } from '../model-calls/pipeline.ts';
import { estimateTokens } from './compaction.ts';

/** Ports whose calls of models keep to a budget: each has its highest cost set aside before it begins. */
export function enforceRunBudget(ports: Ports, budget: RunBudget): Ports {
  if (budget.getRemaining() === undefined) return ports;
  const paid = enforceAccounts(ports, async (request) => {
    const limits = await ports.model.limits(request.model);
    const price = 'texts' in request ? priceTexts(request.texts, limits) : estimateRequest(request, limits);
    if (!price) throw createUnpricedError(request.model);
    return { accounts: [budget], price };
  });
  return { ...ports, ...paid };
}

/** Its response is shortened only if the budget does not pay for the longest one. */
function estimateRequest(request: ModelRequest, limits: ModelLimits): PricedCall | undefined {
  const { messages, tools = [], settings } = request;
  const inputTokens = request.inputTokens ?? estimateTokens(messages, { tools });
  const call = priceCall({ inputTokens, maxTokens: settings?.maxTokens }, limits);
  if (!call) return undefined;
  const { cost, responseFor } = call;
  return { cost, responseFor: (amount) => (amount.lt(cost.wanted) ? responseFor(amount) : undefined) };
}

export const createUnpricedError = (model: string) =>
  new StepError(
    `The model ${model} has no known price, so the run cannot keep to its maxCost; set the prices of its model config, or remove maxCost`,
  );

/** What a run may cost in USD, with all runs inside of it. One inside of another draws from the budgets of both. */
export interface RunBudget extends SpendingAccount {
  /** What is neither spent nor reserved; undefined without a limit. */
  getRemaining: () => Big | undefined;
  charge: (cost: Big | string) => void;
  /** Whether it pays for a call, or may when one elsewhere has ended. */
  mayPay: (cost: Cost) => boolean;
  /** For a run inside. @returns what ends that */
  setAside: (cost: Big) => () => void;
  /** Resolves when a call that has something set aside ends; undefined if there is none. */
  waitForRelease: () => Promise<void> | undefined;
}

/** @param spent What the run has cost so far, with the runs inside of it that have ended. */
export function openBudget(maxCost: number | undefined, spent: Big, outer?: RunBudget): RunBudget {
  let left = maxCost === undefined ? undefined : new Big(maxCost);
  let reservations = 0;
  let changed = Promise.withResolvers<void>();

  function getRemaining(): Big | undefined {
    const above = outer?.getRemaining();
    if (left === undefined || above === undefined) return left ?? above;
    return left.lt(above) ? left : above;
  }

  function charge(cost: Big | string): void {
    left = left?.minus(cost);
    outer?.charge(cost);
  }

  function setAside(cost: Big): () => void {
    const release = outer?.setAside(cost);
    left = left?.minus(cost);
    reservations++;
    return () => {
      release?.();
      left = left?.plus(cost);
      reservations--;
      changed.resolve();
      changed = Promise.withResolvers();
    };
  }

  const waitForRelease = () => outer?.waitForRelease() ?? (reservations > 0 ? changed.promise : undefined);

  /** What it sets aside for a call; undefined if it does not pay. */
  function findAmount({ wanted, least }: Cost): Big | undefined {
    const remaining = getRemaining();
    if (remaining === undefined || wanted.eq(0) || remaining.gte(wanted)) return wanted;
    return remaining.gt(0) && remaining.gte(least) ? remaining : undefined;
  }

  async function reserve(cost: Cost, signal: AbortSignal): Promise<Reservation> {
    for (;;) {
      const amount = findAmount(cost);
      // Calls beside it end before it is shortened.
      const released = amount?.eq(cost.wanted) ? undefined : waitForRelease();
      if (released) await orAborted(released, signal);
      else if (!amount) throw new BudgetSpent();
      else {
        const release = setAside(amount);
        const settle = (charged: Big) => {
          release();
          charge(charged);
        };
        return { amount, settle };
      }
    }
  }

  charge(spent);
  const mayPay = (cost: Cost) => (findAmount(cost) ?? waitForRelease()) !== undefined;
  return { getRemaining, charge, mayPay, reserve, setAside, waitForRelease };
}

/** The budget does not pay for a call. */
export class BudgetSpent extends StepError {
  constructor() {
    super('The maxCost of the run is reached');
  }
}
