import Big from 'big.js';
import { toDollars } from '../model-usage/cost-units.ts';
import type { Budget } from './budget/budget.ts';
import { periodAt } from './periods.ts';
import { reachedThresholds } from './thresholds.ts';

/** A budget as responses show it, in the period of now. */
export function budgetView(budget: Budget, now: Date) {
  const { id, name, scope, period, limit, timezone, action, alertAt } = budget;
  const { start, end } = periodAt(budget, now);
  const current = start > budget.periodStart ? inNewPeriod(budget) : budget;
  const at = now.toISOString();
  const held = Object.values(current.holds).filter(({ until }) => until >= at);
  const spent = toDollars(current.spent);
  const reserved = held.reduce((sum, { amount }) => sum.plus(toDollars(amount)), new Big(0));
  const remaining = new Big(limit).minus(spent).minus(reserved);
  return {
    id,
    name,
    scope,
    period,
    limit,
    timezone,
    action,
    alertAt,
    notify: {
      ...(budget.webhookUrl !== undefined && { webhookUrl: budget.webhookUrl }),
      emails: budget.emails,
    },
    spent: textOf(spent),
    reserved: textOf(reserved),
    remaining: textOf(remaining.lt(0) ? new Big(0) : remaining),
    periodStart: start,
    resetsAt: end,
    status: statusOf(current),
    uncounted: current.uncounted,
    createdAt: budget.createdAt,
    updatedAt: budget.updatedAt,
  };
}

const inNewPeriod = (budget: Budget): Budget => ({
  ...budget,
  spent: new Big(0),
  holds: {},
  alerted: [],
  refused: false,
  uncounted: false,
});

/** Whether a budget that blocks is spent in the period of now. */
export const isSpent = (budget: Budget, now: Date): boolean =>
  budget.action === 'block' &&
  periodAt(budget, now).start <= budget.periodStart &&
  toDollars(budget.spent).gte(budget.limit);

function statusOf(budget: Budget): 'ok' | 'alerted' | 'blocked' {
  const isFull = toDollars(budget.spent).gte(budget.limit);
  if (budget.action === 'block' && (isFull || budget.refused)) return 'blocked';
  return reachedThresholds(budget).length > 0 ? 'alerted' : 'ok';
}

const textOf = (dollars: Big) => dollars.round(12).toFixed();
