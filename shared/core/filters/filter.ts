/**
 * The schema of record filters: operators, what each may be compared with, nesting and limits of size.
 * Sizes are checked before parsing, which takes long for large filters; up to 50,000 records evaluate each condition. A
 * value that does not fit its operator is reported at the path of its condition.
 * `filterSchema` also makes the variant in which values are templates, checked once they are filled (selectors of flow
 * steps). `matches.ts` evaluates filters; endpoints of records, steps and schedules parse them; the console shows the
 * same operators.
 */
import * as z from 'zod';
import { groupDigits } from '../text.ts';
import { compare, FieldValue } from './comparison.ts';

interface Operand {
  /** Completes the sentence "The value of … must be". */
  expected: string;
  accepts: (value: unknown) => boolean;
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
const isOrdered = (value: unknown) => ['string', 'number'].includes(typeof value);
const isPair = (value: unknown): value is [unknown, unknown] => Array.isArray(value) && value.length === 2;

const scalar: Operand = { expected: 'a text, a number, true or false', accepts: isScalar };
const ordered: Operand = { expected: 'a number, a date or another text', accepts: isOrdered };
const text: Operand = {
  expected: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
};
const list: Operand = {
  expected: 'a list of 1 to 1,000 texts, numbers, true or false',
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= 1_000 && value.every(isScalar),
};
const range: Operand = {
  expected: '[low, high]: two numbers, dates or other texts, in their order',
  accepts(value) {
    if (!isPair(value) || !value.every(isOrdered)) return false;
    const [low, high] = value;
    return (compare(new FieldValue(low), new FieldValue(high)) ?? 1) <= 0;
  },
};
const days: Operand = {
  expected: 'a number of days, 0 or more',
  accepts: (value) => isOrdered(value) && /^\d+(\.\d+)?$/.test(String(value)),
};
const none: Operand = { expected: 'left out', accepts: (value) => value === undefined || value === null };

const operands = {
  eq: scalar,
  neq: scalar,
  gt: ordered,
  gte: ordered,
  lt: ordered,
  lte: ordered,
  between: range,
  contains: text,
  startsWith: text,
  endsWith: text,
  in: list,
  notIn: list,
  isSet: none,
  isNotSet: none,
  isTrue: none,
  isFalse: none,
  withinLastDays: days,
  olderThanDays: days,
} satisfies Record<string, Operand>;

export type Operator = keyof typeof operands;
export const operators = Object.keys(operands) as [Operator, ...Operator[]];

export interface Condition {
  field: string;
  op: Operator;
  value?: unknown;
}

/** Selects records by one condition, or by groups of conditions. `matches.ts` evaluates it. */
export type RecordFilter = Condition | { op: 'and' | 'or'; conditions: RecordFilter[] };

const nestingMax = 3;

export const FieldPath = z
  .string()
  .min(1)
  .max(128)
  .regex(/^\P{Cc}*$/u, 'Expected a field without control characters')
  .refine((name) => name.trim() === name, 'Expected a field without leading or trailing blanks')
  .meta({
    description: 'name, type, createdAt, updatedAt, or a metadata field: a key or a dotted path',
  });

const groupOperators = ['and', 'or'] as const;
const LeafOperator = z
  .enum(operators, {
    error: ({ input }) =>
      groupOperators.some((op) => op === input)
        ? `Groups are nested more than ${nestingMax} levels deep`
        : undefined,
  })
  .meta({ description: 'How the field is compared' });
const GroupOperator = z
  .enum(groupOperators)
  .meta({ description: 'and: all of the conditions hold. or: at least one does' });
const valueText =
  'What the field is compared with: a list for in and notIn, [low, high] for between, none for isSet, isNotSet, isTrue and isFalse';
const unknownOperator = `Expected one of ${[...operators, ...groupOperators].join(', ')}`;

interface Options {
  /** The schema of a value, before its operator is checked. */
  Value?: z.ZodType;
  /** Whether a value is filled in later, so that its operator cannot be checked yet. */
  isOpen?: (value: unknown) => boolean;
}

/** The schema of filters. Reports a value that does not fit its operator at the path of its condition. */
export function filterSchema({ Value = z.unknown(), isOpen = () => false }: Options = {}) {
  const Leaf = z
    .strictObject({
      field: FieldPath,
      op: LeafOperator,
      value: Value.optional().meta({ description: valueText }),
    })
    .superRefine(({ op, value }, context) => {
      const { expected, accepts } = operands[op];
      const tooLong = isTooLong(value);
      if ((!tooLong && accepts(value)) || isOpen(value)) return;
      const message = tooLong ? valueTooLong : `The value of ${op} must be ${expected}`;
      context.addIssue({ code: 'custom', params: tooLong ? { code: 'TOO_LARGE' } : {}, message });
    });
  const createGroup = (member: z.ZodType<RecordFilter>, depth: number): z.ZodType<RecordFilter> => {
    const conditions = z.array(member).min(1).max(50).meta({ description: 'Conditions, or groups of them' });
    const group = z.strictObject({ op: GroupOperator, conditions });
    const filter = z.discriminatedUnion('op', [Leaf, group], {
      error: ({ code }) => (code === 'invalid_union' ? unknownOperator : undefined),
    }) as z.ZodType<RecordFilter>;
    return depth < nestingMax ? createGroup(filter, depth + 1) : filter;
  };
  const whole = createGroup(Leaf as z.ZodType<RecordFilter>, 1);
  return z.preprocess((input, context) => {
    const message = filterSizeProblem(input, nestingMax);
    if (message) context.addIssue({ code: 'custom', params: { code: 'TOO_LARGE' }, message });
    return input;
  }, whole) as z.ZodType<RecordFilter>;
}

export const RecordFilter = filterSchema();

/** Limits of a whole filter. Up to 50,000 records evaluate each condition. */
const conditionsMax = 500;
const valuesMax = 10_000;
export const valueCharactersMax = 10_000;

export const filterSizes = `${groupDigits(conditionsMax)} conditions (groups included), ${groupDigits(valuesMax)} values in lists and ${groupDigits(valueCharactersMax)} characters per text at most`;
const valueTooLong = `A text has at most ${groupDigits(valueCharactersMax)} characters`;

const isTooLong = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isTooLong)
    : typeof value === 'string' && value.length > valueCharactersMax;

interface Part {
  conditions?: unknown;
  value?: unknown;
}

/** Returns what exceeds a limit in an unparsed filter. Runs before parsing, which takes long for large filters. */
function filterSizeProblem(filter: unknown, levels: number): string | undefined {
  let [conditions, values] = [0, 0];
  let parts = [filter];
  for (let level = 0; level <= levels; level++) {
    const objects = parts.filter((part): part is Part => typeof part === 'object' && part !== null);
    const groups = objects.flatMap((part) => (Array.isArray(part.conditions) ? [part.conditions] : []));
    conditions += groups.reduce((sum, { length }) => sum + length, 0);
    values += objects.reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 0), 0);
    if (conditions > conditionsMax) return `A filter has at most ${groupDigits(conditionsMax)} conditions`;
    if (values > valuesMax) return `A filter has at most ${groupDigits(valuesMax)} values in lists`;
    parts = groups.flat();
  }
  return undefined;
}
