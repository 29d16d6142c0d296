import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { type AnyEntity, attributePath, encode, type ItemOf, type Key, type KeyOf } from './entity.ts';

/** A condition on the stored item: `#name` stands for an attribute, `:name` for one of `values`. */
export interface Condition {
  expression: string;
  values?: Record<string, unknown>;
}

export interface Changes {
  set?: Record<string, unknown>;
  /** Sets a field only where it is missing. */
  setOnce?: Record<string, unknown>;
  /** A decimal comes as text: DynamoDB adds it exactly. */
  add?: Record<string, number | string>;
  remove?: readonly string[];
}

/** One write, as the parameters of DynamoDB's Put, Update, Delete or ConditionCheck. */
export type Write =
  | { Put: Parameters & { Item: Parameters } }
  | { Update: Parameters & { Key: Key; UpdateExpression: string } }
  | { Delete: Parameters & { Key: Key } }
  | { ConditionCheck: Parameters & { Key: Key } };
type Parameters = Record<string, unknown>;

const absent: Condition = { expression: 'attribute_not_exists(PK)' };

/** Makes the writes of one tenant. They do nothing until they are committed. */
export function writesFor(tenant: string) {
  return {
    put: <E extends AnyEntity>(entity: E, item: ItemOf<E>, condition?: Condition): Write => ({
      Put: { Item: encode(entity, tenant, item), ...conditionOf(condition) },
    }),
    insert: <E extends AnyEntity>(entity: E, item: ItemOf<E>): Write => ({
      Put: { Item: encode(entity, tenant, item), ...conditionOf(absent) },
    }),
    update: <E extends AnyEntity>(
      entity: E,
      key: KeyOf<E>,
      changes: Changes,
      condition?: Condition,
    ): Write => ({
      Update: { Key: entity.key(tenant, key), ...updateOf(entity, changes, condition) },
    }),
    remove: <E extends AnyEntity>(entity: E, key: KeyOf<E>, condition?: Condition): Write => ({
      Delete: { Key: entity.key(tenant, key), ...conditionOf(condition) },
    }),
    check: <E extends AnyEntity>(entity: E, key: KeyOf<E>, condition: Condition): Write => ({
      ConditionCheck: { Key: entity.key(tenant, key), ...conditionOf(condition) },
    }),
  };
}
export type Writes = ReturnType<typeof writesFor>;

function conditionOf(condition: Condition | undefined): Parameters {
  if (!condition) return {};
  return {
    ConditionExpression: condition.expression,
    ...namesIn(condition.expression),
    ...(condition.values && { ExpressionAttributeValues: prefixed(condition.values) }),
  };
}

function updateOf(entity: AnyEntity, changes: Changes, condition: Condition | undefined) {
  const { set = {}, setOnce = {}, add = {}, remove = [] } = changes;
  const path = (field: string) => attributePath(entity, field);
  const sets = [
    ...Object.keys(set).map((field) => `${path(field)} = :${field}`),
    ...Object.keys(setOnce).map((field) => `${path(field)} = if_not_exists(${path(field)}, :${field})`),
  ];
  const adds = Object.keys(add).map((field) => `${path(field)} :${field}`);
  const UpdateExpression = [
    sets.length > 0 && `SET ${sets.join(', ')}`,
    adds.length > 0 && `ADD ${adds.join(', ')}`,
    remove.length > 0 && `REMOVE ${remove.map(path).join(', ')}`,
  ]
    .filter(Boolean)
    .join(' ');
  const ConditionExpression = condition?.expression;
  const values = prefixed({ ...set, ...setOnce, ...numbersIn(add), ...condition?.values });
  return {
    UpdateExpression,
    ...(ConditionExpression && { ConditionExpression }),
    ...namesIn(`${UpdateExpression} ${ConditionExpression ?? ''}`),
    // DynamoDB refuses an empty one.
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

const numbersIn = (add: Record<string, number | string>) =>
  Object.fromEntries(
    Object.entries(add).map(([name, value]) => [
      name,
      typeof value === 'string' ? NumberValue.from(value) : value,
    ]),
  );

/** `#name` always stands for the attribute `name`, so no expression can meet a reserved word. */
export function namesIn(expression: string) {
  const names = new Set(expression.match(/#\w+/g));
  return names.size === 0
    ? {}
    : { ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [name, name.slice(1)])) };
}

export const prefixed = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]));
