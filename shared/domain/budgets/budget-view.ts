import Big from 'big.js';
import { StepError } from '../../core/errors/step-error.ts';
import { toInstant, toLocal } from '../../core/time.ts';
import { toDollars } from '../model-usage/cost-units.ts';
import type { Budget } from './budget/budget.ts';
import { listReachedThresholds } from './thresholds.ts';

/** A budget as responses show it, in the period of now. */
export function toBudgetView(budget: Budget, now: Date) {
  const { id, name, scope, period, limit, timezone, action, alertAt } = budget;
  const { start, end } = findPeriod(budget, now);
  const current = start > budget.periodStart ? startPeriod(budget) : budget;
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
    spent: formatDollars(spent),
    reserved: formatDollars(reserved),
    remaining: formatDollars(remaining.lt(0) ? new Big(0) : remaining),
    periodStart: start,
    resetsAt: end,
    status: getStatus(current),
    uncounted: current.uncounted,
    createdAt: budget.createdAt,
    updatedAt: budget.updatedAt,
  };
}

const startPeriod = (budget: Budget): Budget => ({
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
  findPeriod(budget, now).start <= budget.periodStart &&
  toDollars(budget.spent).gte(budget.limit);

function getStatus(budget: Budget): 'ok' | 'alerted' | 'blocked' {
  const isFull = toDollars(budget.spent).gte(budget.limit);
  if (budget.action === 'block' && (isFull || budget.refused)) return 'blocked';
  return listReachedThresholds(budget).length > 0 ? 'alerted' : 'ok';
}

const formatDollars = (dollars: Big) => dollars.round(12).toFixed();

/** A budget does not pay for a call of a model. Neither a retry nor another model is tried. */
export class BudgetExceeded extends StepError {
  constructor(budget: Budget, now: Date) {
    super(explainSpent(budget, now), { code: 'BUDGET_EXCEEDED' });
  }
}

export function explainSpent(budget: Budget, now: Date): string {
  const { end } = findPeriod(budget, now);
  const rest = end === null ? 'raise its limit' : `raise its limit, or wait until ${end}`;
  return `The budget "${budget.name}" of $${budget.limit} is spent; ${rest}`;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type Timing = Pick<Budget, 'period' | 'timezone' | 'createdAt'>;

/** A period of a budget, as instants in ISO; without an end if it lasts for ever. */
interface Period {
  start: string;
  end: string | null;
}

/** The period that has an instant, in the time zone of the budget. Weeks begin on Monday. */
export function findPeriod({ period, timezone, createdAt }: Timing, at: Date): Period {
  if (period === 'total') return { start: createdAt, end: null };
  const local = toLocal(at.getTime(), timezone);
  if (period === 'hour') {
    // An hour that clocks repeat is two periods.
    const start = at.getTime() - (local % hourMs);
    return { start: toIso(start), end: toIso(start + hourMs) };
  }
  const [first, next] = localDays[period](local);
  return { start: toIso(toInstant(first, timezone, 'end')), end: toIso(toInstant(next, timezone, 'end')) };
}

/** The local beginnings of a period and of the next one. */
const localDays = {
  day: (local: number) => startsOf(local - (local % dayMs), 1),
  // 1 January 1970 was a Thursday.
  week: (local: number) => startsOf(local - ((local + 3 * dayMs) % (7 * dayMs)), 7),
  month(local: number) {
    const date = new Date(local);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)] as const;
  },
};

const startsOf = (first: number, days: number) => [first, first + days * dayMs] as const;

const toIso = (instantMs: number) => new Date(instantMs).toISOString();
