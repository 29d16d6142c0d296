import { compare, instantOf, truthOf } from './comparison.ts';
import { type Filterable, heldBy, isSet } from './field.ts';
import type { Condition, RecordFilter } from './filter.ts';
import type { Operator } from './operands.ts';

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

const satisfiedByNothing = new Set<Operator>(['isNotSet', 'neq', 'notIn']);

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
export const folded = (value: unknown) => String(value).toUpperCase();

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
