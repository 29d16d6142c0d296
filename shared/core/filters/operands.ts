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

export const operands = {
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
