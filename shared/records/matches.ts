import { compare, instantOf, truthOf } from './comparison.ts';
import type { Condition, RecordFilter } from './filter.ts';
import type { Operator } from './operands.ts';

/** What a filter can ask of a record. */
export interface Filterable {
  type: string;
  name: string;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

/** Whether a filter means a record. */
export function matches(record: Filterable, filter: RecordFilter, now: Date): boolean {
  if (!('conditions' in filter)) return holds(record, filter, now);
  const { op, conditions } = filter;
  const each = (condition: RecordFilter) => matches(record, condition, now);
  return op === 'and' ? conditions.every(each) : conditions.some(each);
}

function holds(record: Filterable, { field, op, value }: Condition, now: Date): boolean {
  const held = heldBy(record, field);
  return isSet(held) ? tests[op](held, value, now) : satisfiedByNothing.has(op);
}

/** A field that is missing, null or blank. */
const isSet = (held: unknown) =>
  held !== undefined && held !== null && !(typeof held === 'string' && held.trim() === '');
const satisfiedByNothing = new Set<Operator>(['isNotSet', 'neq', 'notIn']);

const ownFields = ['name', 'type', 'createdAt', 'updatedAt'] as const;

/** A field of the record itself, a key of its metadata, or else where a dotted path leads in there. */
function heldBy(record: Filterable, field: string): unknown {
  const own = ownFields.find((name) => name === field);
  if (own) return record[own];
  const { metadata } = record;
  if (isOwn(metadata, field)) return metadata[field];
  return field
    .split('.')
    .reduce<unknown>((value, key) => (isOwn(value, key) ? value[key] : undefined), metadata);
}

/** Also false for the length of a list, which is no member that JSON shows. */
const isOwn = (value: unknown, key: string): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.prototype.propertyIsEnumerable.call(value, key);

/** Asks about a field that is set; the value has been checked against its operator. */
type Test = (held: unknown, value: unknown, now: Date) => boolean;

const ordered =
  (...results: number[]): Test =>
  (held, value) =>
    results.includes(compare(held, value) ?? Number.NaN);

const equals = ordered(0);
const isAmong: Test = (held, value, now) => (value as unknown[]).some((each) => equals(held, each, now));

/** Compares texts in any case; numbers by how they are written. */
const textual =
  (test: (held: string, value: string) => boolean): Test =>
  (held, value) =>
    typeof held !== 'object' && test(folded(held), folded(value));
/** Upper case, because it writes out what lower case keeps apart: ß and SS, two forms of sigma. */
const folded = (value: unknown) => String(value).toUpperCase();

const containsText = textual((held, value) => held.includes(value));

const dayMs = 86_400_000;
const agedInDays =
  (test: (age: number, days: number) => boolean): Test =>
  (held, value, now) => {
    const instant = instantOf(held);
    return instant !== undefined && test((now.getTime() - instant) / dayMs, Number(value));
  };

const tests: Record<Operator, Test> = {
  eq: equals,
  neq: (...asked) => !equals(...asked),
  gt: ordered(1),
  gte: ordered(1, 0),
  lt: ordered(-1),
  lte: ordered(-1, 0),
  between: (held, value, now) => {
    const [low, high] = value as [unknown, unknown];
    return tests.gte(held, low, now) && tests.lte(held, high, now);
  },
  contains: (held, value, now) =>
    Array.isArray(held)
      ? held.some((each) => typeof each !== 'object' && folded(each) === folded(value))
      : containsText(held, value, now),
  startsWith: textual((held, value) => held.startsWith(value)),
  endsWith: textual((held, value) => held.endsWith(value)),
  in: isAmong,
  notIn: (...asked) => !isAmong(...asked),
  isSet: () => true,
  isNotSet: () => false,
  isTrue: (held) => truthOf(held) === true,
  isFalse: (held) => truthOf(held) === false,
  withinLastDays: agedInDays((age, days) => age >= 0 && age <= days),
  olderThanDays: agedInDays((age, days) => age > days),
};
