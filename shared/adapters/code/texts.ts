/**
 * Analyses scripts, expressions and templates without running them: syntax errors, the variables they read, and whether
 * a condition is constant.
 * Runs in the threads of the sandbox (`tasks.ts`), since parsing the text of a tenant may take long. What cannot be decided
 * counts as the worst: a text that cannot be parsed, or that reaches `globalThis`, `eval` or `Function`, may read
 * everything, and such a condition is not constant.
 * `domain/flows/analysis` and `domain/flows/checking` ask for it when a flow is stored or checked.
 */
import type * as acorn from 'acorn';
import { type Node, type Program, parse } from 'acorn';
import { analyze } from 'eslint-scope';
import { templateProblem, variablesOfTemplate } from '../templates/liquid.ts';
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
    reads: findReads(text),
    alwaysHolds: text.kind === 'expression' ? alwaysHolds(toProgram('expression', text.text)) : undefined,
  }));

/** A text with a syntax error may read anything. */
function findReads({ kind, text }: FlowText): Reads {
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
    return evaluateConstant(callee.body)?.truthy;
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

function evaluateConstant(node: Expression): Known | undefined {
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
      const test = evaluateConstant(node.test);
      return test && evaluateConstant(test.truthy ? node.consequent : node.alternate);
    }
    default:
      return undefined;
  }
}

function unary({ operator, argument }: acorn.UnaryExpression): Known | undefined {
  const operand = evaluateConstant(argument);
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
  const [one, other] = [evaluateConstant(left)?.plain, evaluateConstant(right)?.plain];
  return one && other && plain(operate(one.value as never, other.value as never));
}

function logical({ operator, left, right }: acorn.LogicalExpression): Known | undefined {
  const [one, other] = [evaluateConstant(left), evaluateConstant(right)];
  if (operator === '??') return one && (one.plain && one.plain.value == null ? other : one);
  const decisive = operator === '||';
  if (one) return one.truthy === decisive ? one : other;
  // Whatever the left side is, the right side decides.
  return other?.truthy === decisive ? truthy(decisive) : undefined;
}

type AnyNode = Node & Record<string, unknown>;

export const builtIns: ReadonlySet<string> = new Set(
  `AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
  FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array
  InternalError Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
  SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval
  globalThis isFinite isNaN parseFloat parseInt undefined unescape`.split(/\s+/),
);
/** Each contains all variables. */
const holders = new Set(['variables', 'input']);
/** A program may reach any variable through these. */
const openDoors = new Set(['globalThis', 'eval', 'Function']);

/** @returns undefined if the program has a syntax error or is nested too deeply. */
function parseProgram(program: string): Program | undefined {
  try {
    return parse(program, { ecmaVersion: 'latest', sourceType: 'script', ranges: true });
  } catch {
    return undefined;
  }
}

export function readsOfProgram(program: string): Reads {
  try {
    const tree = parseProgram(program);
    return tree ? programReads(tree) : { names: [], everything: true };
  } catch (error) {
    if (error instanceof RangeError) return { names: [], everything: true };
    throw error;
  }
}

function programReads(tree: Program): Reads {
  const { globalScope } = analyze(tree as never, { ecmaVersion: 2025, sourceType: 'script' });
  const through = (globalScope?.through ?? []).filter((reference) => reference.isRead());
  const parents = mapParents(tree);
  const names = new Map<string, { guarded: boolean }>();
  let everything = false;
  for (const { identifier } of through) {
    const { name } = identifier;
    const node = identifier as unknown as Node;
    const parent = parents.get(node);
    if (openDoors.has(name)) everything = true;
    else if (holders.has(name)) {
      const member = getMemberName(parent, node);
      if (member === undefined) everything = true;
      else names.set(member, { guarded: false });
    } else if (!builtIns.has(name)) {
      const guarded = parent?.type === 'UnaryExpression' && parent.operator === 'typeof';
      names.set(name, { guarded: guarded || (names.get(name)?.guarded ?? false) });
    }
  }
  return { names: [...names].map(([name, how]) => ({ name, ...how })), everything };
}

/** The name in `variables.name` or `variables['name']`. */
function getMemberName(parent: AnyNode | undefined, object: Node): string | undefined {
  if (parent?.type !== 'MemberExpression' || parent.object !== object) return undefined;
  const property = parent.property as { type: string; name?: string; value?: unknown };
  if (!parent.computed) return property.name;
  return typeof property.value === 'string' ? property.value : undefined;
}

function mapParents(tree: Program): Map<Node, AnyNode> {
  const parents = new Map<Node, AnyNode>();
  const waiting = [tree as Node as AnyNode];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const child of Object.values(node).flat() as (AnyNode | undefined)[]) {
      if (typeof child?.type !== 'string') continue;
      parents.set(child, node);
      waiting.push(child);
    }
  }
  return parents;
}
