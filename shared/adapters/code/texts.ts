import type * as acorn from 'acorn';
import { templateProblem, variablesOfTemplate } from '../templates/liquid.ts';
import { parseProgram, readsOfProgram } from './program-reads.ts';
import { type CodeKind, codeProblem, toProgram } from './programs.ts';

export interface FlowText {
  kind: CodeKind | 'template';
  text: string;
}

/** The variables that a text reads. */
export interface Reads {
  names: {
    name: string;
    /** True after `typeof`: the text checks whether the variable is set. */
    guarded: boolean;
    /** What the text shows of its type. */
    type?: 'array' | 'object' | undefined;
  }[];
  /** True if the text may read any variable. */
  everything: boolean;
}

/** @param at Its first element reports the text in progress to the waiting thread. */
export function problemsOfTexts({
  texts,
  at,
}: {
  texts: readonly FlowText[];
  at: Int32Array;
}): (string | undefined)[] {
  return texts.map(({ kind, text }, index) => {
    Atomics.store(at, 0, index);
    return kind === 'template' ? templateProblem(text) : codeProblem(kind, text);
  });
}

/** `alwaysHolds`: whether an expression is constant; undefined if that depends on the variables. */
export const readTexts = (texts: readonly FlowText[]): { reads: Reads; alwaysHolds: boolean | undefined }[] =>
  texts.map((text) => ({
    reads: readsOf(text),
    alwaysHolds: text.kind === 'expression' ? alwaysHolds(toProgram('expression', text.text)) : undefined,
  }));

/** A text with a syntax error may read anything. */
function readsOf({ kind, text }: FlowText): Reads {
  try {
    if (kind !== 'template') return readsOfProgram(toProgram(kind, text));
    const names = variablesOfTemplate(text).map((read) => ({ ...read, guarded: false }));
    return { names, everything: false };
  } catch {
    return { names: [], everything: true };
  }
}

type Expression = acorn.Expression;
type Primitive = string | number | boolean | null | undefined;

/** What is known of an expression without the variables: whether it is truthy, and its value if that is primitive. */
interface Known {
  truthy: boolean;
  plain?: { value: Primitive };
}

const plain = (value: Primitive): Known => ({ truthy: Boolean(value), plain: { value } });
const truthy = (is: boolean): Known => ({ truthy: is });

/** Undefined if it depends on the variables. Evaluates no calls. @param program As wrapped: `(async()=>(…))()` */
function alwaysHolds(program: string): boolean | undefined {
  const [statement] = parseProgram(program)?.body ?? [];
  if (statement?.type !== 'ExpressionStatement' || statement.expression.type !== 'CallExpression')
    return undefined;
  const { callee } = statement.expression;
  if (callee.type !== 'ArrowFunctionExpression' || callee.body.type === 'BlockStatement') return undefined;
  try {
    return known(callee.body)?.truthy;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const constants = new Map<string, Primitive>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
]);

function known(node: Expression): Known | undefined {
  switch (node.type) {
    case 'Literal':
      return node.regex || node.bigint ? undefined : plain(node.value as Primitive);
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? plain(node.quasis[0]?.value.cooked ?? '') : undefined;
    case 'Identifier':
      return constants.has(node.name) ? plain(constants.get(node.name)) : undefined;
    case 'ArrayExpression':
    case 'ObjectExpression':
    case 'ArrowFunctionExpression':
      return truthy(true);
    case 'UnaryExpression':
      return unary(node);
    case 'BinaryExpression':
      return binary(node);
    case 'LogicalExpression':
      return logical(node);
    case 'ConditionalExpression': {
      const test = known(node.test);
      return test && known(test.truthy ? node.consequent : node.alternate);
    }
    default:
      return undefined;
  }
}

function unary({ operator, argument }: acorn.UnaryExpression): Known | undefined {
  const operand = known(argument);
  if (operator === '!') return operand && plain(!operand.truthy);
  if (!operand?.plain) return undefined;
  const { value } = operand.plain;
  if (operator === '-') return plain(-Number(value));
  return operator === '+' ? plain(Number(value)) : undefined;
}

type Operator = (one: never, other: never) => Primitive;
const operators: Record<string, Operator> = {
  '===': (one, other) => one === other,
  '!==': (one, other) => one !== other,
  // biome-ignore lint/suspicious/noDoubleEquals: what the expression says
  '==': (one, other) => one == other,
  // biome-ignore lint/suspicious/noDoubleEquals: what the expression says
  '!=': (one, other) => one != other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '%': (one, other) => one % other,
};

function binary({ operator, left, right }: acorn.BinaryExpression): Known | undefined {
  const operate = Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (!operate || left.type === 'PrivateIdentifier') return undefined;
  const [one, other] = [known(left)?.plain, known(right)?.plain];
  return one && other && plain(operate(one.value as never, other.value as never));
}

function logical({ operator, left, right }: acorn.LogicalExpression): Known | undefined {
  const [one, other] = [known(left), known(right)];
  if (operator === '??') return one && (one.plain && one.plain.value == null ? other : one);
  const decisive = operator === '||';
  if (one) return one.truthy === decisive ? one : other;
  // Whatever the left side is, the right side decides.
  return other?.truthy === decisive ? truthy(decisive) : undefined;
}
