import { NumberValue } from '@aws-sdk/lib-dynamodb';
import Big from 'big.js';
import { storedKey } from '../../platform/data/keys.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { attributeNames, prefixed, type Write } from '../../platform/data/writes.ts';
import { toCostUnits } from '../model-usage/cost-units.ts';
import { type Budget, budgetEntity } from './budget/budget.ts';
import type { Holding } from './spending.ts';

type Tenant = Pick<TenantTable, 'tenant'>;

const number = (units: string | Big) => NumberValue.from(new Big(units).toFixed());

interface Written {
  until: string;
  version: string;
}

/** Changes what a process holds, and adds what it has spent. */
export function holdWrite(
  table: Tenant,
  { id, periodStart, action }: Budget,
  { holder, before, after, spent, isReserved, until, version }: Holding & Written,
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
    change: number(toCostUnits(taken.times(-1))),
    spent: number(toCostUnits(spent)),
    ...(before && { before: before.version }),
    ...(isHeld && { hold: { amount: number(toCostUnits(after)), until, version } }),
    ...(isLimited && { taken: number(toCostUnits(taken)) }),
  });
}

/** Begins a period. */
export const periodWrite = (
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
      limit: number(toCostUnits(new Big(limit))),
      zero: 0,
      none: {},
      nobody: [],
      no: false,
    },
  );

/** Releases what a dead process holds. */
export const releaseWrite = (
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
    { period: periodStart, version, amount: number(amount) },
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
      Key: storedKey(tenant, budgetEntity.key({ id })),
      UpdateExpression,
      ConditionExpression,
      ...attributeNames(`${UpdateExpression} ${ConditionExpression}`),
      ExpressionAttributeValues: prefixed(values),
    },
  };
}
