/**
 * Decides whether a record matches a filter, in memory.
 * A filter becomes a predicate once (`filterPredicate`), in which lists of values are sets and each field of a record
 * is resolved once, however many conditions use it. A field that is missing, null or blank satisfies only `isNotSet`,
 * `neq` and `notIn`. How values compare is in `comparison.ts`, how fields are found in `field.ts`.
 * Lists, bulk changes and steps of records use it.
 */
import { compare, FieldValue } from './comparison.ts';
import { type Filterable, getFieldValue } from './field.ts';
import type { Operator, RecordFilter } from './filter.ts';

/** Whether a record matches a filter. For many records, {@link filterPredicate} compiles the filter once. */
export const matches = (record: Filterable, filter: RecordFilter, now: Date): boolean =>
  filterPredicate(filter, now)(record);

export function filterPredicate(filter: RecordFilter, now: Date): (record: Filterable) => boolean {
  const test = toPredicate(filter, now);
  return (record) => test(filterableFields(record));
}

/** The fields of one record. Each is resolved once, however many conditions use it. */
export type Fields = (field: string) => FieldValue;
export type FieldsPredicate = (fields: Fields) => boolean;

export function filterableFields(record: Filterable): Fields {
  const readings = new Map<string, FieldValue>();
  return (field) => {
    const reading = readings.get(field) ?? new FieldValue(getFieldValue(record, field));
    readings.set(field, reading);
    return reading;
  };
}

export function toPredicate(filter: RecordFilter, now: Date): FieldsPredicate {
  if ('conditions' in filter) {
    const tests = filter.conditions.map((condition) => toPredicate(condition, now));
    return filter.op === 'and'
      ? (fields) => tests.every((test) => test(fields))
      : (fields) => tests.some((test) => test(fields));
  }
  const { field, op, value } = filter;
  const test = tests[op](value, now);
  return (fields) => {
    const held = fields(field);
    return held.isSet ? test(held) : satisfiedByNothing.has(op);
  };
}

const satisfiedByNothing = new Set<Operator>(['isNotSet', 'neq', 'notIn']);

type Test = (held: FieldValue) => boolean;
type TestFor = (value: unknown, now: Date) => Test;

const testOrder =
  (...results: number[]): TestFor =>
  (value) => {
    const asked = new FieldValue(value);
    return (held) => results.includes(compare(held, asked) ?? Number.NaN);
  };

/** Whether a field equals one of some values, in constant time per field. */
function testAmong(values: readonly unknown[]): Test {
  const asked = values.map((value) => new FieldValue(value));
  const selectOfType = (type: string) => asked.filter(({ value }) => typeof value === type);
  const [numbers, booleans, texts] = [
    selectOfType('number'),
    selectOfType('boolean'),
    selectOfType('string'),
  ];
  const exact = new Set(numbers.map(({ number }) => number));
  const numeric = new Set([...numbers, ...texts].flatMap(({ number }) => number ?? []));
  const flags = new Set(booleans.map(({ asBoolean }) => asBoolean));
  const truths = new Set([...booleans, ...texts].flatMap(({ asBoolean }) => asBoolean ?? []));
  const keys = new Set(texts.map(({ key }) => key));
  const tests: Record<string, Test> = {
    number: ({ number }) => number !== undefined && numeric.has(number),
    boolean: ({ asBoolean }) => asBoolean !== undefined && truths.has(asBoolean),
    string: (held) =>
      (keys.size > 0 && keys.has(held.key)) ||
      (exact.size > 0 && held.number !== undefined && exact.has(held.number)) ||
      (flags.size > 0 && held.asBoolean !== undefined && flags.has(held.asBoolean)),
  };
  return (held) => tests[typeof held.value]?.(held) ?? false;
}

const not =
  (test: Test): Test =>
  (held) =>
    !test(held);

/** Compares texts case-insensitively, and numbers as text. */
const textual =
  (test: (held: string, value: string) => boolean): TestFor =>
  (value) => {
    const { folded } = new FieldValue(value);
    return (held) => typeof held.value !== 'object' && test(held.folded, folded);
  };

const containsText = textual((held, value) => held.includes(value));

const dayMs = 86_400_000;
const agedInDays =
  (test: (age: number, days: number) => boolean): TestFor =>
  (value, now) => {
    const days = Number(value);
    return ({ instant }) => instant !== undefined && test((now.getTime() - instant) / dayMs, days);
  };

const tests: Record<Operator, TestFor> = {
  eq: (value) => testAmong([value]),
  neq: (value) => not(testAmong([value])),
  gt: testOrder(1),
  gte: testOrder(1, 0),
  lt: testOrder(-1),
  lte: testOrder(-1, 0),
  between: (value, now) => {
    const [low, high] = value as [unknown, unknown];
    const [isHighEnough, isLowEnough] = [tests.gte(low, now), tests.lte(high, now)];
    return (held) => isHighEnough(held) && isLowEnough(held);
  },
  contains: (value, now) => {
    const isIn = containsText(value, now);
    const { folded } = new FieldValue(value);
    return (held) => (Array.isArray(held.value) ? held.foldedElements.has(folded) : isIn(held));
  },
  startsWith: textual((held, value) => held.startsWith(value)),
  endsWith: textual((held, value) => held.endsWith(value)),
  in: (values) => testAmong(values as unknown[]),
  notIn: (values) => not(testAmong(values as unknown[])),
  isSet: () => () => true,
  isNotSet: () => () => false,
  isTrue: () => (held) => held.asBoolean === true,
  isFalse: () => (held) => held.asBoolean === false,
  withinLastDays: agedInDays((age, days) => age >= 0 && age <= days),
  olderThanDays: agedInDays((age, days) => age > days),
};
