import { type Node, type Program, parse } from 'acorn';
import { analyze } from 'eslint-scope';
import type { Reads } from './texts.ts';

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
export function parseProgram(program: string): Program | undefined {
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
  const parents = parentsIn(tree);
  const names = new Map<string, { guarded: boolean }>();
  let everything = false;
  for (const { identifier } of through) {
    const { name } = identifier;
    const node = identifier as unknown as Node;
    const parent = parents.get(node);
    if (openDoors.has(name)) everything = true;
    else if (holders.has(name)) {
      const member = memberOf(parent, node);
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
function memberOf(parent: AnyNode | undefined, object: Node): string | undefined {
  if (parent?.type !== 'MemberExpression' || parent.object !== object) return undefined;
  const property = parent.property as { type: string; name?: string; value?: unknown };
  if (!parent.computed) return property.name;
  return typeof property.value === 'string' ? property.value : undefined;
}

function parentsIn(tree: Program): Map<Node, AnyNode> {
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
