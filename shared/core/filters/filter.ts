import * as z from 'zod';
import { filterSizeProblem, isTooLong, valueTooLong } from './filter-size.ts';
import { type Operator, operands, operators } from './operands.ts';

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
