import type { Condition, RecordFilter } from '../../../../../shared/core/filters/filter.ts';
import type { OperationRequest, OperationResponse } from '../../../api/api.ts';
import { recordTexts } from '../../../texts/records.ts';
import { isObject } from '../../../ui/values/schema.ts';

export type { Condition, RecordFilter };
/** A filter in a request: the API declares each level of nesting. */
export type SentFilter = NonNullable<OperationRequest<'records.preview-filter'>['body']['where']>;
export type Operator = Condition['op'];
export type FilterGroup = Exclude<RecordFilter, Condition>;
export type FieldOfType = OperationResponse<'records.schema'>['fields'][number];

export const isGroup = (filter: RecordFilter): filter is FilterGroup => 'conditions' in filter;

/** Whether a value, as of an address, has the form of a filter. Whether it makes sense, the API says. */
export function isFilter(value: unknown): value is RecordFilter {
  if (!isObject(value)) return false;
  if ('conditions' in value) return Array.isArray(value.conditions) && value.conditions.every(isFilter);
  return typeof value.field === 'string' && typeof value.op === 'string';
}

/** What each operator is called, and how many values it takes. */
export const operatorNames: Record<Operator, string> = {
  eq: recordTexts.is,
  neq: recordTexts.isNot,
  contains: recordTexts.contains,
  startsWith: recordTexts.startsWith,
  endsWith: recordTexts.endsWith,
  gt: recordTexts.isMoreThan,
  gte: recordTexts.isAtLeast,
  lt: recordTexts.isLessThan,
  lte: recordTexts.isAtMost,
  between: recordTexts.isBetween,
  in: recordTexts.isOneOf,
  notIn: recordTexts.isNoneOf,
  isSet: recordTexts.hasValue,
  isNotSet: recordTexts.hasNoValue,
  isTrue: recordTexts.isTrue,
  isFalse: recordTexts.isFalse,
  withinLastDays: recordTexts.isWithinLastDays,
  olderThanDays: recordTexts.isOlderThanDays,
};

const always: Operator[] = ['eq', 'neq', 'in', 'notIn', 'isSet', 'isNotSet'];
const ordered: Operator[] = ['gt', 'gte', 'lt', 'lte', 'between'];
const texts: Operator[] = ['contains', 'startsWith', 'endsWith'];
const dates: Operator[] = ['withinLastDays', 'olderThanDays'];

/** The operators for a field, by the types that its values have; all of them for a field that nobody knows. */
export function operatorsFor(types: readonly string[] | undefined): Operator[] {
  if (!types || types.length === 0) return Object.keys(operatorNames) as Operator[];
  const has = (...wanted: string[]) => types.some((type) => wanted.includes(type));
  return [
    ...always,
    ...(has('number', 'date', 'string') ? ordered : []),
    ...(has('string', 'array') ? texts : []),
    ...(has('date') ? dates : []),
    ...(has('boolean') ? (['isTrue', 'isFalse'] as Operator[]) : []),
  ];
}

const withoutValue: readonly Operator[] = ['isSet', 'isNotSet', 'isTrue', 'isFalse'];
export const takesValue = (op: Operator) => !withoutValue.includes(op);
export const takesList = (op: Operator) => op === 'in' || op === 'notIn';

/** The filter without the conditions that somebody has not finished; `undefined` if none are left. */
export function finished(filter: RecordFilter | undefined): RecordFilter | undefined {
  if (!filter) return undefined;
  if (isGroup(filter)) {
    const conditions = filter.conditions.flatMap((each) => finished(each) ?? []);
    return conditions.length > 0 ? { op: filter.op, conditions } : undefined;
  }
  const { field, op, value } = filter;
  if (field.trim() === '') return undefined;
  if (!takesValue(op)) return { field, op };
  const values = Array.isArray(value) ? value.filter((each) => each !== '') : [value];
  const isMissing = values.length === 0 || values.some((each) => each === undefined || each === '');
  if (isMissing || (op === 'between' && values.length < 2)) return undefined;
  return { field, op, value: Array.isArray(value) ? values : value };
}

export const conditionsIn = (filter: RecordFilter | undefined): number =>
  !filter ? 0 : isGroup(filter) ? filter.conditions.reduce((sum, each) => sum + conditionsIn(each), 0) : 1;
