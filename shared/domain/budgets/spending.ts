/**
 * The ledger of a budget: what is left, what is spent, and what processes have reserved of it in the running period.
 * A process has one reservation per budget, by its own name, and changes it in one conditional write that also adds
 * what it has spent; a budget that blocks refuses a reservation beyond what is left. The version of a reservation
 * distinguishes a retry whose response was lost from a reservation that somebody released. The first write in a new
 * period begins it, with nothing spent or reserved.
 * Reservations of processes that crashed expire after 15 minutes, and the next process that finds too little left
 * releases them.
 * The budget reservations of `execution/model-calls` call it; `budgetGate` refuses a run before its start;
 * `thresholds.ts` notifies of the thresholds that a write reaches.
 */
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import Big from 'big.js';
import type { Payer } from '../../adapters/ports/payer.ts';
import { omitUndefined } from '../../core/defined.ts';
import { ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { decode } from '../../platform/data/entity.ts';
import { toStoredKey } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { prefixValues, toAttributeNames, type Write } from '../../platform/data/writes.ts';
import { recentModelAccount } from '../model-configs/select-model.ts';
import { toCostUnits } from '../model-usage/cost-units.ts';
import { type Budget, budgetEntity, isFor } from './budget/budget.ts';
import { explainSpent, findPeriod, isSpent } from './budget-view.ts';
import { notifyThresholds } from './thresholds.ts';

/** After which a process counts as dead: longer than any invocation of a Lambda. */
const holdMs = 15 * 60_000;

/** What a process holds, in USD. */
export interface Hold {
  amount: Big;
  until: string;
  version: string;
}

/** What a process changes: what it holds, in USD, and what it has spent since its last change. */
interface ReservationChange {
  holder: string;
  before: Hold | undefined;
  after: Big;
  spent: Big;
  /** Whether it is for a call that is still to be made. What was spent counts in any case. */
  isReserved: boolean;
}

/** `refused`: the budget does not pay for it. `lost`: what was held is released, in this budget as it is now. */
type ReservationOutcome =
  | { result: 'written'; budget: Budget; hold: Hold | undefined }
  | { result: 'refused' | 'lost'; budget: Budget }
  | { result: 'deleted' };

type Budgets = Pick<Scope, 'table' | 'now' | 'newId'>;

/** Changes what a process holds, in one conditional write. A budget that blocks has no holds beyond its limit. */
export async function writeReservation(
  scope: Budgets,
  budget: Budget,
  change: ReservationChange,
): Promise<ReservationOutcome> {
  const { table, now, newId } = scope;
  const { holder, before, after } = change;
  const until = new Date(now().getTime() + holdMs).toISOString();
  const version = newId('hold');
  const hold = after.gt(0) ? { amount: after, until, version } : undefined;
  try {
    const written = await table.updateAndGet(
      budgetEntity,
      holdWrite(table, budget, { ...change, until, version }),
    );
    if (change.spent.gt(0)) await notifyThresholds(scope, written).catch(logUndelivered);
    return { result: 'written', budget: written, hold };
  } catch (error) {
    const current = readCurrent(error);
    if (!current) return { result: 'deleted' };
    const held = current.holds[holder];
    const isSamePeriod = current.periodStart === budget.periodStart;
    // The answer of an earlier attempt of this request was lost.
    const isDone = hold
      ? held?.version === version
      : before !== undefined && !held && before.until > now().toISOString();
    if (isSamePeriod && isDone) return { result: 'written', budget: current, hold };
    const isOwn = isSamePeriod && held?.version === before?.version;
    return { result: isOwn ? 'refused' : 'lost', budget: current };
  }
}

/** The next write tells of it. */
const logUndelivered = (error: unknown) =>
  log.error('Nobody could be told of the threshold of a budget', { error });

/** The budget in the period of now: with a new one, nothing is spent or held. Undefined if it is deleted. */
export async function enterPeriod(scope: Budgets, budget: Budget): Promise<Budget | undefined> {
  const { start } = findPeriod(budget, scope.now());
  // Clocks differ: a period that another process has begun is not taken back.
  if (start <= budget.periodStart) return budget;
  const write = createPeriodWrite(scope.table, budget, start);
  const begun = await scope.table.updateAndGet(budgetEntity, write).catch(readCurrent);
  return begun && enterPeriod(scope, begun);
}

/** Releases what dead processes hold. @returns the budget afterwards; undefined if nothing was released */
export async function releaseDead(scope: Budgets, budget: Budget): Promise<Budget | undefined> {
  const at = scope.now().toISOString();
  const dead = Object.entries(budget.holds).filter(([, { until }]) => until < at);
  let current: Budget | undefined;
  for (const [holder, hold] of dead) {
    const write = releaseWrite(scope.table, budget, holder, hold);
    current = (await scope.table.updateAndGet(budgetEntity, write).catch(readCurrent)) ?? current;
  }
  return current;
}

/** Notes something of a budget that has not been noted in this period, such as a refused call. */
export async function markOnce(
  { table }: Budgets,
  budget: Budget,
  what: 'refused' | 'uncounted',
): Promise<void> {
  if (budget[what]) return;
  const condition = {
    expression: '#periodStart = :period AND #revision = :seen',
    values: { period: budget.periodStart, seen: budget.revision },
  };
  const write = table.writes.update(
    budgetEntity,
    budget,
    { set: omitUndefined({ [what]: true }) },
    condition,
  );
  await table.updateAndGet(budgetEntity, write).catch(readCurrent);
}

/** What is stored where a condition did not hold. */
function readCurrent(error: unknown): Budget | undefined {
  if (!(error instanceof ConditionFailed)) throw error;
  return error.item && decode(budgetEntity, error.item);
}

type Tenant = Pick<TenantTable, 'tenant'>;

const toNumber = (units: string | Big) => NumberValue.from(new Big(units).toFixed());

interface Written {
  until: string;
  version: string;
}

/** Changes what a process holds, and adds what it has spent. */
function holdWrite(
  table: Tenant,
  { id, periodStart, action }: Budget,
  { holder, before, after, spent, isReserved, until, version }: ReservationChange & Written,
): Write {
  const taken = after.plus(spent).minus(before?.amount ?? 0);
  const isHeld = after.gt(0);
  const isLimited = isReserved && action === 'block';
  const conditions = [
    'attribute_exists(PK) AND #periodStart = :period',
    before ? `#holds.#${holder}.#version = :before` : `attribute_not_exists(#holds.#${holder})`,
    isLimited && '#left >= :taken',
  ];
  const UpdateExpression = `${isHeld ? `SET #holds.#${holder} = :hold` : `REMOVE #holds.#${holder}`} ADD #left :change, #spent :spent`;
  return update(table, id, UpdateExpression, conditions, {
    period: periodStart,
    change: toNumber(toCostUnits(taken.times(-1))),
    spent: toNumber(toCostUnits(spent)),
    ...(before && { before: before.version }),
    ...(isHeld && { hold: { amount: toNumber(toCostUnits(after)), until, version } }),
    ...(isLimited && { taken: toNumber(toCostUnits(taken)) }),
  });
}

/** Begins a period. */
const createPeriodWrite = (
  table: Tenant,
  { id, limit, periodStart, revision }: Budget,
  start: string,
): Write =>
  update(
    table,
    id,
    'SET #periodStart = :start, #left = :limit, #spent = :zero, #holds = :none, #alerted = :nobody, #refused = :no, #uncounted = :no',
    ['#periodStart = :period AND #revision = :revision'],
    {
      period: periodStart,
      revision,
      start,
      limit: toNumber(toCostUnits(new Big(limit))),
      zero: 0,
      none: {},
      nobody: [],
      no: false,
    },
  );

/** Releases what a dead process holds. */
const releaseWrite = (
  table: Tenant,
  { id, periodStart }: Budget,
  holder: string,
  { amount, version }: Budget['holds'][string],
): Write =>
  update(
    table,
    id,
    `REMOVE #holds.#${holder} ADD #left :amount`,
    [`#periodStart = :period AND #holds.#${holder}.#version = :version`],
    { period: periodStart, version, amount: toNumber(amount) },
  );

function update(
  { tenant }: Tenant,
  id: string,
  UpdateExpression: string,
  conditions: readonly (string | false)[],
  values: Record<string, unknown>,
): Write {
  const ConditionExpression = conditions.filter(Boolean).join(' AND ');
  return {
    Update: {
      Key: toStoredKey(tenant, budgetEntity.key({ id })),
      UpdateExpression,
      ConditionExpression,
      ...toAttributeNames(`${UpdateExpression} ${ConditionExpression}`),
      ExpressionAttributeValues: prefixValues(values),
    },
  };
}

/**
 * For the start of what may call a model. Reads what the first call of a model would read, so that a run in the same
 * process needs no further request.
 */
export const budgetGate = /* @__PURE__ */ using(
  [recentModelAccount],
  (scope: Scope) =>
    /** @throws BUDGET_EXCEEDED if a budget of one of the payers is spent */
    async (payers: readonly Payer[]): Promise<void> => {
      const { budgets } = await recentModelAccount(scope);
      const now = scope.now();
      const spent = budgets.find((budget) => isFor(budget, payers) && isSpent(budget, now));
      if (spent) throw new ServiceError('BUDGET_EXCEEDED', explainSpent(spent, now));
    },
);
