import * as z from 'zod';
import { isTooLong, sizeProblem, valueTooLong } from './filter-size.ts';
import { type Operator, operands, operators } from './operands.ts';

export interface Condition {
  field: string;
  op: Operator;
  value?: unknown;
}

/** Which records are meant: by one condition, or by groups of them. What it means is in `matches.ts`. */
export type RecordFilter = Condition | { op: 'and' | 'or'; conditions: RecordFilter[] };

const nestingMax = 3;

export const Field = z
  .string()
  .min(1)
  .max(128)
  .regex(/^\P{Cc}*$/u, 'A field has no control characters')
  .refine((name) => name.trim() === name, 'A field has no blank at its ends')
  .meta({
    description: 'name, type, createdAt, updatedAt, or one of the metadata: by its key, or by a dotted path',
  });

const groupOperators = ['and', 'or'] as const;
const LeafOperator = z.enum(operators, {
  error: ({ input }) =>
    groupOperators.some((op) => op === input) ? `Groups may be nested ${nestingMax} deep` : undefined,
});
const unknownOperator = `Expected one of ${[...operators, ...groupOperators].join(', ')}`;

interface Options {
  /** What a value may be before its operator is looked at. */
  Value?: z.ZodType;
  /** Tells of a value that is filled in later: its operator has nothing to say yet. */
  isOpen?: (value: unknown) => boolean;
}

/** The schema of filters. A value that does not suit its operator is told at the path of its condition. */
export function filterSchema({ Value = z.unknown(), isOpen = () => false }: Options = {}) {
  const Leaf = z
    .strictObject({ field: Field, op: LeafOperator, value: Value.optional() })
    .superRefine(({ op, value }, context) => {
      const { expected, accepts } = operands[op];
      const tooLong = isTooLong(value);
      if ((!tooLong && accepts(value)) || isOpen(value)) return;
      const message = tooLong ? valueTooLong : `The value of ${op} has to be ${expected}`;
      context.addIssue({ code: 'custom', params: tooLong ? { code: 'TOO_LARGE' } : {}, message });
    });
  const groupOf = (member: z.ZodType<RecordFilter>, depth: number): z.ZodType<RecordFilter> => {
    const group = z.strictObject({ op: z.enum(groupOperators), conditions: z.array(member).min(1).max(50) });
    const filter = z.discriminatedUnion('op', [Leaf, group], {
      error: ({ code }) => (code === 'invalid_union' ? unknownOperator : undefined),
    }) as z.ZodType<RecordFilter>;
    return depth < nestingMax ? groupOf(filter, depth + 1) : filter;
  };
  const whole = groupOf(Leaf as z.ZodType<RecordFilter>, 1);
  return z.preprocess((input, context) => {
    const message = sizeProblem(input, nestingMax);
    if (message) context.addIssue({ code: 'custom', params: { code: 'TOO_LARGE' }, message });
    return input;
  }, whole) as z.ZodType<RecordFilter>;
}

export const RecordFilter = filterSchema();
