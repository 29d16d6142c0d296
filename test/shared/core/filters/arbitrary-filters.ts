import fc from 'fast-check';
import { type Operator, operators, RecordFilter } from '../../../../shared/core/filters/filter.ts';

const texts = fc.constantFrom(
  ...['', ' ', ' true', 'n/a', '2026-01-01 01:30'],
  ...'a A ab B ß SS true FALSE é \u{ffff} \u{1f600}'.split(' '),
  ...'0 7 07 7.0 -7 7e0 +7 .5 0.1 0x10 12345678901234567890 12345678901234567891'.split(' '),
  ...'2026-01-01 2026-01-01T00:00:00Z 2026-01-01T02:00:00+02:00 2026-02-30 2025-12-31T23:59:59.999Z'.split(
    ' ',
  ),
);
const dates = fc.constantFrom(
  ...'2026-01-01 2026-01-01T00:00:00Z 2026-01-01T02:00:00+02:00 2026-02-30 2025-12-31T23:59:59.999Z'.split(
    ' ',
  ),
);
export const scalar = fc.oneof(
  texts,
  dates,
  fc.constantFrom<unknown>(0, 7, -7, 0.5, 0.1, 1e21, true, false),
  fc.string({ maxLength: 3 }),
  fc.integer({ min: -9, max: 9 }).map(String),
);
const held = fc.oneof(
  scalar,
  fc.constant(null),
  fc.array(scalar, { maxLength: 3 }),
  fc.record({ in: scalar, '0': scalar }),
);
export const metadata = fc
  .array(fc.tuple(fc.constantFrom('x', 'x', 'x', 'x.in', '__proto__', 'y z'), held), {
    minLength: 1,
    maxLength: 4,
  })
  .map((entries) => Object.fromEntries(entries));

/** Those of `metadata`, and what none of it has. */
export const fields = [
  'x',
  'x',
  'x.in',
  'x.0',
  'y z',
  'y z.in',
  '__proto__',
  '__proto__.in',
  'constructor',
  'x.length',
];
const list = fc.array(scalar, { minLength: 1, maxLength: 3 });
const operandOf = (op: Operator): fc.Arbitrary<unknown> => {
  if (op.startsWith('is')) return fc.constant(undefined);
  if (op === 'in' || op === 'notIn') return list;
  if (op === 'between') return fc.tuple(scalar, scalar);
  return op.endsWith('Days') ? fc.nat(3) : fc.oneof(scalar, fc.constantFrom('a', '7', '20'));
};
export const conditionOn = (names: readonly string[]) =>
  fc
    .constantFrom(...operators)
    .chain((op) => fc.record({ field: fc.constantFrom(...names), op: fc.constant(op), value: operandOf(op) }))
    .filter((filter): filter is RecordFilter & typeof filter => RecordFilter.safeParse(filter).success);
export function filterOn(names: readonly string[]): fc.Arbitrary<RecordFilter> {
  const condition = conditionOn(names);
  const group = (member: fc.Arbitrary<RecordFilter>): fc.Arbitrary<RecordFilter> =>
    fc.oneof(
      condition,
      fc.record({
        op: fc.constantFrom('and' as const, 'or' as const),
        conditions: fc.array(member, { minLength: 1, maxLength: 3 }),
      }),
    );
  return group(group(group(condition)));
}
export const instants = fc
  .constantFrom('2026-01-01T00:00Z', '2026-01-02T00:00Z', '2026-01-03T07:00Z', '2025-12-31T00:00Z')
  .map((text) => new Date(text));
