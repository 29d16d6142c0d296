// D281
import { JSONPathEnvironment, JSONPathError, type JSONPathQuery, type JSONValue, jsonpath } from 'json-p3';
import { parseExact } from '../../core/json/exact-json.ts';
import { nestingLevelsMax } from '../../core/json/nesting.ts';
import { findParts } from '../../core/text.ts';

/** The library's own limit of 50 levels is lower than that of JSON here. */
const environment = new JSONPathEnvironment({ maxRecursionDepth: nestingLevelsMax + 2 });

/** The values that a JSONPath query (RFC 9535) selects, and how many there are. Runs in a thread of the sandbox. */
export function queryJson({
  data,
  path,
  limit,
}: {
  data: unknown;
  path: string;
  limit: number;
}): { values: unknown[]; count: number } | { problem: string } {
  try {
    const all = compileQuery(path)
      .query(data as JSONValue)
      .values();
    return { values: all.slice(0, limit), count: all.length };
  } catch (error) {
    return { problem: describeProblem(error) };
  }
}

const { InfixExpression, NumberLiteral } = jsonpath.expressions;
type Comparison = InstanceType<typeof InfixExpression>;

/** The library rounds numbers of queries, and does not order bigints. */
function compileQuery(path: string): JSONPathQuery {
  const query = environment.compile(path);
  const isLiteral = (node: object) => node instanceof NumberLiteral;
  for (const literal of findParts(query, isLiteral, environment))
    Object.assign(literal, { value: exactNumber(literal) });
  const isOrder = (node: object): node is Comparison =>
    node instanceof InfixExpression && orders.has(node.operator);
  for (const comparison of findParts(query, isOrder, environment)) {
    const evaluate = comparison.evaluate.bind(comparison);
    comparison.evaluate = (context) => {
      const [left, right] = [comparison.left, comparison.right].map((side) =>
        readNumber(side.evaluate(context)),
      );
      const isExact = typeof left === 'bigint' || typeof right === 'bigint';
      if (!isExact || left === undefined || right === undefined) return evaluate(context);
      return orders.get(comparison.operator)?.(left, right) === true;
    };
  }
  return query;
}

type Digits = number | bigint;

const orders = new Map<string, (one: Digits, other: Digits) => boolean>([
  ['<', (one, other) => one < other],
  ['<=', (one, other) => one <= other],
  ['>', (one, other) => one > other],
  ['>=', (one, other) => one >= other],
]);

function readNumber(found: unknown): Digits | undefined {
  const value = found instanceof jsonpath.JSONPathNodeList ? found.nodes[0]?.value : found;
  return ['number', 'bigint'].includes(typeof value) ? (value as Digits) : undefined;
}

function exactNumber({ token, value }: InstanceType<typeof NumberLiteral>): unknown {
  const exact = parseExact(token.value);
  return typeof exact === 'bigint' ? exact : value;
}

/** The library ends its message with a part of the query and the offset: `expected '$', found 'x' ('x':0)`. */
function describeProblem(error: unknown): string {
  const [message = ''] = (error as Error).message.split('\n', 1);
  if (!(error instanceof JSONPathError)) return message;
  const words = message.replace(/ \('.*':\d+\)$/s, '').replace(/ +/g, ' ');
  return `${words} (at character ${error.token.index + 1})`;
}
