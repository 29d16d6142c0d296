import { expect, test } from 'vitest';
import type { Operator } from '../../../../shared/core/filters/filter.ts';
import { matches } from '../../../../shared/core/filters/matches.ts';

const now = new Date('2026-03-10T12:00:00Z');
const record = {
  type: 'customer',
  name: 'Ada',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-03-09T12:00:00.000Z',
};

/** Whether a record with this value in a field is meant. */
const asks = (held: unknown, op: Operator, value?: unknown) =>
  matches(
    { ...record, metadata: { it: held } },
    { field: 'it', op, ...(value !== undefined && { value }) },
    now,
  );

test.each<[unknown, Operator, unknown, boolean]>([
  ['10', 'eq', 10, true],
  [10, 'eq', '10.0', true],
  ['10.50', 'eq', '10.5', true],
  ['9', 'lt', '10', true],
  ['9', 'lt', 10, true],
  ['1e3', 'eq', 1000, true],
  ['01234', 'eq', '1234', false],
  ['01234', 'eq', 1234, true],
  ['1e3', 'eq', '1000', false],
  ['12345678901234567890', 'eq', '12345678901234567891', false],
  ['12345678901234567890', 'lt', '12345678901234567891', true],
  ['n/a', 'gt', 5, false],
  ['n/a', 'lte', 5, false],
  ['n/a', 'neq', 5, true],
  ['-2', 'gt', '-10', true],
])('%j %s %j compares as numbers: %j', (held, op, value, expected) => {
  expect(asks(held, op, value)).toBe(expected);
});

test.each<[unknown, Operator, unknown, boolean]>([
  ['2026-01-01T00:00:00Z', 'eq', '2026-01-01T01:00:00+01:00', true],
  ['2026-01-01', 'eq', '2026-01-01T00:00:00.000Z', true],
  ['2026-01-01 10:00', 'gt', '2026-01-01T09:59:59Z', true],
  ['2026-01-01T00:00:00.0001Z', 'lt', '2026-01-01T00:00:00.0002Z', true],
  ['2025-12-31T23:00:00-05:00', 'gt', '2026-01-01T00:00:00Z', true],
  ['2026-02-30', 'gt', '2026-03-01T23:00:00+23:00', false],
  ['2026-02-15', 'between', ['2026-02-15', '2026-03-01'], true],
  ['2026-03-01T00:00:01Z', 'between', ['2026-02-15', '2026-03-01'], false],
])('%j %s %j compares as instants: %j', (held, op, value, expected) => {
  expect(asks(held, op, value)).toBe(expected);
});

test.each<[unknown, Operator, unknown, boolean]>([
  ['Gold', 'eq', 'gold', false],
  ['Gold', 'contains', 'OL', true],
  ['Straße', 'endsWith', 'STRASSE', true],
  ['Gold', 'startsWith', 'go', true],
  ['Gold', 'startsWith', 'old', false],
  [12345, 'contains', '234', true],
  [['vip', 'New'], 'contains', 'NEW', true],
  [['vip', 'newer'], 'contains', 'new', false],
  [{ a: 'x' }, 'contains', 'object', false],
  ['b', 'gt', 'B', true],
  ['\u{ffff}', 'lt', '\u{1f600}', true],
  [['a'], 'eq', 'a', false],
  ['b', 'in', ['a', 'b'], true],
  ['2', 'in', [1, 2], true],
  ['c', 'notIn', ['a', 'b'], true],
  ['a', 'notIn', ['a', 'b'], false],
])('%j %s %j compares as texts: %j', (held, op, value, expected) => {
  expect(asks(held, op, value)).toBe(expected);
});

test.each([
  [true, true, false],
  ['TRUE', true, false],
  [' False ', false, true],
  [false, false, true],
  [1, false, false],
  ['yes', false, false],
])('%j matches isTrue: %j, isFalse: %j', (held, isTrue, isFalse) => {
  expect([asks(held, 'isTrue'), asks(held, 'isFalse')]).toEqual([isTrue, isFalse]);
});

const values: Partial<Record<Operator, unknown>> = {
  between: ['', 'z'],
  in: [''],
  notIn: ['a'],
  withinLastDays: 1,
  olderThanDays: 0,
};
const operators: Operator[] = [
  ...(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'between', 'contains', 'startsWith', 'endsWith'] as const),
  ...(['in', 'notIn', 'isSet', 'isNotSet', 'isTrue', 'isFalse', 'withinLastDays', 'olderThanDays'] as const),
];
test.each([undefined, null, '', ' \t'])('%j is not set and matches only isNotSet, neq and notIn', (held) => {
  expect(operators.filter((op) => asks(held, op, values[op] ?? ''))).toEqual(['neq', 'notIn', 'isNotSet']);
});

test('false, 0, [] and {} are set', () => {
  for (const held of [false, 0, [], {}])
    expect([asks(held, 'isSet'), asks(held, 'isNotSet')]).toEqual([true, false]);
});

test.each([
  ['2026-03-09T12:00:00Z', 1, true],
  ['2026-03-09T11:59:59.999Z', 1, false],
  ['2026-03-10', '0.5', true],
  ['2026-03-10T12:00:01Z', 1, false],
  [20260309, 10_000, false],
  ['yesterday', 10_000, false],
])('%j is within the last %j days: %j', (held, days, expected) => {
  expect(asks(held, 'withinLastDays', days)).toBe(expected);
});

test.each([
  ['2026-03-09T12:00:00Z', 1, false],
  ['2026-03-09T11:59:59.999Z', 1, true],
  ['2026-04-01', 1, false],
  ['yesterday', 1, false],
])('%j is older than %j days: %j', (held, days, expected) => {
  expect(asks(held, 'olderThanDays', days)).toBe(expected);
});

test('a field names a record field, a literal metadata key or a path; only own properties count', () => {
  const metadata = JSON.parse(
    '{"name": "hidden", "a.b": 1, "a": {"b": 2, "c": [{"d": 3}]}, "__proto__": {"x": 4}, "$ price": 5}',
  );
  const holds = (field: string, value: unknown) =>
    matches({ ...record, metadata }, { field, op: 'eq', value }, now);
  expect(holds('name', 'Ada')).toBe(true);
  expect(holds('type', 'customer')).toBe(true);
  expect(holds('createdAt', '2026-01-01')).toBe(true);
  expect(holds('a.b', 1)).toBe(true);
  expect(holds('a.c.0.d', 3)).toBe(true);
  expect(holds('__proto__.x', 4)).toBe(true);
  expect(holds('$ price', 5)).toBe(true);
  for (const field of ['a.c.length', 'constructor.name', 'toString', 'a.__proto__', 'a.b.c.d', 'x']) {
    expect(matches({ ...record, metadata }, { field, op: 'isSet' }, now), field).toBe(false);
  }
});

test('the prefix metadata. selects a metadata key that a record field shadows', () => {
  const means = (metadata: Record<string, unknown>, field: string, value: string) =>
    matches({ ...record, metadata }, { field, op: 'eq', value }, now);
  expect(means({ name: 'hidden', type: 'too' }, 'metadata.name', 'hidden')).toBe(true);
  expect(means({ name: 'hidden', type: 'too' }, 'metadata.type', 'too')).toBe(true);
  expect(means({ name: 'hidden', 'metadata.name': 'key' }, 'metadata.name', 'key')).toBe(true);
  expect(means({ name: 'hidden', metadata: { name: 'inner' } }, 'metadata.name', 'inner')).toBe(true);
  expect(means({ tier: 'gold' }, 'metadata.tier', 'gold')).toBe(false);
});

test('groups combine their conditions', () => {
  const is = (value: string) => ({ field: 'tier', op: 'eq' as const, value });
  const gold = { ...record, metadata: { tier: 'gold' } };
  expect(matches(gold, { op: 'or', conditions: [is('silver'), is('gold')] }, now)).toBe(true);
  expect(matches(gold, { op: 'and', conditions: [is('silver'), is('gold')] }, now)).toBe(false);
  const nested = {
    op: 'and' as const,
    conditions: [is('gold'), { op: 'or' as const, conditions: [is('x'), is('gold')] }],
  };
  expect(matches(gold, nested, now)).toBe(true);
});
