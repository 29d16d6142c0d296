/**
 * Calculates arithmetic expressions with decimals of 50 digits: the calculator tool.
 * Acorn parses the text, and decimal.js computes the tree; nothing of the text runs as code. The number of operations is
 * bounded, since powers and logarithms take up to a millisecond each. Errors are for the author of the expression.
 */
import { type Expression, parseExpressionAt, type SpreadElement } from 'acorn';
import { Decimal } from 'decimal.js';
import { StepError } from '../../../core/errors/step-error.ts';
import { calculatorTool } from '../../../domain/tools/builtin/calculator.ts';
import { defineBuiltinRunner } from '../../tool-support/tool-runner.ts';

/** Powers and logarithms of 50 digits take up to a millisecond each. */
const operationsMax = 100;

type Values = Readonly<Record<string, number | string>>;
interface State {
  values: Values;
  operations: number;
}

/** The value of an arithmetic expression as decimal text. @throws RangeError with a message for its author */
function calculate(text: string, values: Values = {}): string {
  const result = evaluate(parseExpression(text), { values, operations: 0 });
  if (result.isNaN()) throw new RangeError('The result is not a number');
  if (!result.isFinite())
    throw new RangeError('The result is infinite: a division by 0, or a number that is too large');
  return result.toSignificantDigits().toFixed();
}

function parseExpression(text: string): Expression {
  try {
    const tree = parseExpressionAt(text, 0, { ecmaVersion: 2021, preserveParens: true });
    const rest = text.slice(tree.end).trim();
    if (rest === '') return tree;
    throw new RangeError(`Unexpected "${rest.slice(0, 20)}" after the expression`);
  } catch (error) {
    if (error instanceof SyntaxError) throw new RangeError(`The expression cannot be read: ${error.message}`);
    throw error;
  }
}

function evaluate(node: Expression | SpreadElement, state: State): Decimal {
  if (++state.operations > 2 * operationsMax) throw tooLong();
  switch (node.type) {
    case 'Literal':
      return literal(node.value, node.raw);
    case 'Identifier':
      return readVariable(node.name, state.values);
    case 'ParenthesizedExpression':
      return evaluate(node.expression, state);
    case 'UnaryExpression': {
      const value = evaluate(node.argument, state);
      if (node.operator === '-') return value.neg();
      if (node.operator === '+') return value;
      throw unknown(`The operator ${node.operator}`);
    }
    case 'BinaryExpression': {
      const compute = Object.hasOwn(arithmetic, node.operator) ? arithmetic[node.operator] : undefined;
      if (!compute || node.left.type === 'PrivateIdentifier') throw unknownOperator(node.operator);
      return compute(evaluate(node.left, state), evaluate(node.right, state));
    }
    case 'CallExpression': {
      const name = node.callee.type === 'Identifier' ? node.callee.name : '';
      const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
      if (!called) throw unknown(name ? `The function ${name}` : 'This call');
      const values = node.arguments.map((argument) => evaluate(argument, state));
      if (values.length >= called.least && values.length <= called.most) return called.compute(values);
      throw new RangeError(
        `${name} takes ${called.least === called.most ? called.least : `${called.least} to ${called.most}`} values`,
      );
    }
    case 'SequenceExpression':
      throw new RangeError(
        'A comma separates the values of a function; write numbers without thousands separators',
      );
    default:
      throw unknown('Something in the expression');
  }
}

function literal(value: unknown, raw = ''): Decimal {
  if (typeof value !== 'number') throw unknown(`The value ${raw.slice(0, 20)}`);
  return new Exact(raw.replaceAll('_', ''));
}

function readVariable(name: string, values: Values): Decimal {
  if (Object.hasOwn(values, name)) return variable(name, values[name] ?? '');
  const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
  if (constant) return constant;
  throw new RangeError(`${name} has no value; give it in variables`);
}

function variable(name: string, value: number | string): Decimal {
  const text = String(value).trim();
  if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,4})?$/i.test(text)) return new Exact(text);
  throw new RangeError(`The variable ${name} is not a number`);
}

const tooLong = () => new RangeError(`An expression has at most ${operationsMax} operations`);
const unknown = (what: string) => new RangeError(`${what} is not part of arithmetic`);
const unknownOperator = (operator: string) =>
  operator === '^' ? new RangeError('Write ** for powers') : unknown(`The operator ${operator}`);

/** Decimals of 50 digits. */
const Exact = Decimal.clone({
  precision: 50,
  maxE: 1_000,
  minE: -1_000,
  rounding: Decimal.ROUND_HALF_UP,
});

const constants: Record<string, Decimal> = {
  pi: new Exact('3.14159265358979323846264338327950288419716939937510582'),
  e: new Exact('2.71828182845904523536028747135266249775724709369995957'),
};

const arithmetic: Record<string, (left: Decimal, right: Decimal) => Decimal> = {
  '+': (left, right) => left.plus(right),
  '-': (left, right) => left.minus(right),
  '*': (left, right) => left.times(right),
  '/': (left, right) => left.div(right),
  '%': (left, right) => left.mod(right),
  '**': (left, right) => left.pow(right),
};

const sum = (values: readonly Decimal[]) => values.reduce((total, value) => total.plus(value), new Exact(0));
const one = (compute: (value: Decimal) => Decimal) => ({
  least: 1,
  most: 1,
  compute: ([value]: Decimal[]) => compute(value as Decimal),
});
const many = (compute: (values: Decimal[]) => Decimal) => ({ least: 1, most: 100, compute });

const functions: Record<string, { least: number; most: number; compute: (values: Decimal[]) => Decimal }> = {
  abs: one((value) => value.abs()),
  ceil: one((value) => value.ceil()),
  floor: one((value) => value.floor()),
  trunc: one((value) => value.trunc()),
  sqrt: one((value) => value.sqrt()),
  cbrt: one((value) => value.cbrt()),
  exp: one((value) => value.exp()),
  ln: one((value) => value.ln()),
  log10: one((value) => value.log(10)),
  log2: one((value) => value.log(2)),
  round: {
    least: 1,
    most: 2,
    compute: ([value, places]) => roundTo(value as Decimal, places),
  },
  min: many((values) => Exact.min(...values)),
  max: many((values) => Exact.max(...values)),
  sum: many(sum),
  avg: many((values) => sum(values).div(values.length)),
};

function roundTo(value: Decimal, places: Decimal = new Exact(0)): Decimal {
  if (places.isInteger() && places.gte(0) && places.lte(50)) return value.toDecimalPlaces(places.toNumber());
  throw new RangeError('round takes a whole number of places from 0 to 50');
}

export const calculatorToolRunner = defineBuiltinRunner(calculatorTool, {
  perform({ expression, variables = {} }) {
    try {
      const result = calculate(expression, variables);
      return { output: { result, number: Number(result) } };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new StepError(error.message, { cause: error });
    }
  },
});
