/**
 * Builds the inputs of DynamoDB's writes from entities, changes and conditions. Nothing is sent here: the writes take effect
 * in `commit` or `updateAndGet` of `table.ts`.
 *
 * In expressions, `#name` always stands for the attribute `name` and `:name` for a value of that name; conditions and changes
 * share the values, so a name that both use is refused. Numbers that DynamoDB could not store exactly are refused with a 400
 * and their paths. Where an item can expire, conditions take an expired one for absent, and a changed expiry also goes into
 * `summary`, which is all that the indexes have.
 */

import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { omitUndefined } from '../../core/defined.ts';
import { type ErrorDetail, invalid } from '../../core/errors/errors.ts';
import { type AnyEntity, encode, type KeyOf, type StoredOf, toAttributePath } from './entity.ts';
import { type Clock, ignoreExpired, isListedUntil } from './expiry.ts';
import { type IndexKeys, type StoredKey, toStoredIndexKeys, toStoredKey } from './keys.ts';

/** A condition on the stored item: `#name` is an attribute, `:name` is one of `values`. */
export interface WriteCondition {
  expression: string;
  values?: Record<string, unknown>;
}

/** Fields hold stored values: the input of the schema. `undefined` leaves a field unchanged. */
export interface Changes<E extends AnyEntity> {
  set?: Some<StoredOf<E>>;
  setOnce?: Some<StoredOf<E>>;
  /** Pass decimals as text: DynamoDB adds them exactly. */
  add?: { readonly [Field in NumberFields<StoredOf<E>>]?: number | string };
  remove?: readonly OptionalFields<StoredOf<E>>[];
  /** Replaces the item's index keys, regardless of `entity.index`. */
  index?: IndexKeys;
  removeFromIndex?: 1 | 2;
}

type Some<T> = { readonly [Field in keyof T]?: T[Field] | undefined };
type NumberFields<T> = {
  [Field in keyof T]-?: NonNullable<T[Field]> extends number | bigint ? Field : never;
}[keyof T];
type OptionalFields<T> = { [Field in keyof T]-?: undefined extends T[Field] ? Field : never }[keyof T];

/** One write, as the input of DynamoDB's Put, Update, Delete or ConditionCheck. */
export type Write =
  | PutWrite
  | { Update: Parameters & { Key: StoredKey; UpdateExpression: string } }
  | { Delete: Parameters & { Key: StoredKey } }
  | { ConditionCheck: Parameters & { Key: StoredKey } };
export interface PutWrite {
  Put: Parameters & { Item: Parameters };
}
type Parameters = Record<string, unknown>;
type Numbers = Readonly<Record<string, number | string>>;

export const exists: WriteCondition = { expression: 'attribute_exists(PK)' };
export const absent: WriteCondition = { expression: 'attribute_not_exists(PK)' };

export function combineConditions(...conditions: readonly WriteCondition[]): WriteCondition {
  const values: Parameters = {};
  for (const [name, value] of conditions.flatMap((each) => Object.entries(each.values ?? {}))) {
    if (name in values) throw new TypeError(`Two conditions have a value named ${name}`);
    values[name] = value;
  }
  // DynamoDB rejects redundant parentheses, and no values.
  const texts = conditions.map(({ expression: text }) => (text.includes(' OR ') ? `(${text})` : text));
  return { expression: texts.join(' AND '), ...(Object.keys(values).length > 0 && { values }) };
}

/**
 * Builds the writes of one tenant. They take effect when they are committed.
 * @param now Conditions take items that have expired by then for absent.
 */
export function createWrites(tenant: string, now: Clock) {
  const ignoreIfExpired = (entity: AnyEntity, condition: WriteCondition | undefined) =>
    condition && ignoreExpired(entity, condition, now);
  return {
    put: <E extends AnyEntity>(entity: E, item: StoredOf<E>, condition?: WriteCondition): PutWrite => ({
      Put: { Item: encodeStorable(entity, tenant, item), ...toCondition(ignoreIfExpired(entity, condition)) },
    }),
    insert: <E extends AnyEntity>(entity: E, item: StoredOf<E>): PutWrite => ({
      Put: { Item: encodeStorable(entity, tenant, item), ...toCondition(ignoreIfExpired(entity, absent)) },
    }),
    update: <E extends AnyEntity>(
      entity: E,
      key: KeyOf<E>,
      changes: Changes<E>,
      condition?: WriteCondition,
    ): Write => ({
      Update: {
        Key: toStoredKey(tenant, entity.key(key)),
        ...toUpdate(entity, tenant, changes as Changes<AnyEntity>, ignoreIfExpired(entity, condition)),
      },
    }),
    remove: <E extends AnyEntity>(entity: E, key: KeyOf<E>, condition?: WriteCondition): Write => ({
      Delete: {
        Key: toStoredKey(tenant, entity.key(key)),
        ...toCondition(ignoreIfExpired(entity, condition)),
      },
    }),
    check: <E extends AnyEntity>(entity: E, key: KeyOf<E>, condition: WriteCondition): Write => ({
      ConditionCheck: {
        Key: toStoredKey(tenant, entity.key(key)),
        ...toCondition(ignoreIfExpired(entity, condition)),
      },
    }),
  };
}
export type Writes = ReturnType<typeof createWrites>;

/** @throws ServiceError 400 for numbers that cannot be stored */
function encodeStorable(entity: AnyEntity, tenant: string, item: object): Parameters {
  assertStorableNumbers(item as Parameters);
  return encode(entity, tenant, item as Parameters);
}

function toCondition(condition: WriteCondition | undefined): Parameters {
  if (!condition) return {};
  return {
    ConditionExpression: condition.expression,
    ...toAttributeNames(condition.expression),
    ...(condition.values && { ExpressionAttributeValues: prefixValues(condition.values) }),
  };
}

function toUpdate(
  entity: AnyEntity,
  tenant: string,
  changes: Changes<AnyEntity>,
  condition: WriteCondition | undefined,
) {
  const set = omitUndefined({ ...changes.set, ...toStoredIndexKeys(tenant, changes.index ?? {}) });
  const setOnce = omitUndefined(changes.setOnce ?? {});
  assertStorableNumbers(set);
  assertStorableNumbers(setOnce);
  const { add = {}, removeFromIndex: index } = changes as { add?: Numbers } & typeof changes;
  const remove = [...((changes.remove ?? []) as string[]), ...(index ? [`PK${index}`, `SK${index}`] : [])];
  const path = (field: string) => toAttributePath(entity, field);
  const listed = updateListedExpiry(entity, set, remove);
  const sets = [
    ...listed.set,
    ...Object.keys(set).map((field) => `${path(field)} = :${field}`),
    ...Object.keys(setOnce).map((field) => `${path(field)} = if_not_exists(${path(field)}, :${field})`),
  ];
  const adds = Object.keys(add).map((field) => `${path(field)} :${field}`);
  const UpdateExpression = [
    sets.length > 0 && `SET ${sets.join(', ')}`,
    adds.length > 0 && `ADD ${adds.join(', ')}`,
    remove.length > 0 && `REMOVE ${[...remove.map(path), ...listed.remove].join(', ')}`,
  ]
    .filter(Boolean)
    .join(' ');
  const ConditionExpression = condition?.expression;
  const changed = { ...set, ...setOnce, ...toStoredNumbers(add) };
  const clash = Object.keys(condition?.values ?? {}).find((name) => Object.hasOwn(changed, name));
  if (clash) throw new TypeError(`The condition and the changes both have a value named ${clash}`);
  const values = prefixValues({ ...changed, ...listed.values, ...condition?.values });
  return {
    UpdateExpression,
    ...(ConditionExpression && { ConditionExpression }),
    ...toAttributeNames(`${UpdateExpression} ${ConditionExpression ?? ''}`),
    // DynamoDB rejects an empty clause.
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/** What an index has to learn of a changed expiry, because it has only `summary` of an item. */
function updateListedExpiry(entity: AnyEntity, { ttl }: Parameters, removed: readonly string[]) {
  const nothing = { set: [], remove: [], values: {} };
  if (!isListedUntil(entity)) return nothing;
  const place = entity.summary ? '#summary.#ttl' : '#summary';
  if (removed.includes('ttl')) return { ...nothing, remove: [place] };
  if (ttl === undefined) return nothing;
  return {
    ...nothing,
    set: [`${place} = :listedUntil`],
    values: { listedUntil: entity.summary ? ttl : { ttl } },
  };
}

const toStoredNumbers = (add: Numbers) =>
  Object.fromEntries(
    Object.entries(add).map(([name, value]) => [
      name,
      typeof value === 'string' ? NumberValue.from(value) : value,
    ]),
  );

/** `#name` always stands for the attribute `name`, which avoids DynamoDB's reserved words. */
export function toAttributeNames(expression: string) {
  const names = new Set(expression.match(/#\w+/g));
  return names.size === 0
    ? {}
    : { ExpressionAttributeNames: Object.fromEntries([...names].map((name) => [name, name.slice(1)])) };
}

export const prefixValues = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value]));

/** DynamoDB stores no smaller ones than this, and its SDK neither writes nor reads larger ones than a safe integer. */
const smallest = 1e-130;

const detailsMax = 20;

/** @throws ServiceError 400 with the path of each number that cannot be stored. */
function assertStorableNumbers(members: Readonly<Record<string, unknown>>): void {
  if (areStorable(members)) return;
  throw invalid(findUnstorable(members, []).take(detailsMax).toArray());
}

/** Of every write, so without the paths, which only a refusal needs. */
function areStorable(value: unknown): boolean {
  if (typeof value === 'number') return isStorable(value);
  return !mayHoldNumbers(value) || Object.values(value).every(areStorable);
}

function* findUnstorable(value: unknown, path: readonly string[]): Generator<ErrorDetail, void> {
  if (typeof value === 'number') {
    if (!isStorable(value)) yield { path: path.join('.'), ...outOfRange };
    return;
  }
  if (!mayHoldNumbers(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'number' || mayHoldNumbers(member)) yield* findUnstorable(member, [...path, name]);
  }
}

const isStorable = (number: number) => {
  const size = Math.abs(number);
  return number === 0 || (size >= smallest && size <= Number.MAX_SAFE_INTEGER);
};

/** Binary and sets hold none. */
const mayHoldNumbers = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !(value instanceof Set);

const outOfRange = {
  code: 'NUMBER_OUT_OF_RANGE',
  message: 'A stored number is 0 or has a magnitude from 1e-130 to 9007199254740991. Send it as text',
} as const;
