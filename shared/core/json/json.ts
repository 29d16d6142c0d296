import { isDeeperThan, nestingLevelsMax } from './nesting.ts';

const segment = /[^.[\]]+/g;

/** Splits `a.b[0].c` into segments. A leading `$` is the value itself. */
const segmentsOf = (path: string) => path.replace(/^\$\.?/, '').match(segment) ?? [];

/** Resolves a dotted path inside a value. Only own members count. */
export function valueAt(value: unknown, path: string): unknown {
  let current = value;
  for (const name of segmentsOf(path)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** Parses JSON; `undefined` for invalid JSON, or JSON that is nested too deeply. */
export function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(nestingLevelsMax, value) ? undefined : value;
  } catch {
    return undefined;
  }
}
