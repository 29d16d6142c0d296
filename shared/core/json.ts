import { isDeeperThan, levelsMax } from './nesting.ts';

const segment = /[^.[\]]+/g;

/** The segments of `a.b[0].c`. A leading `$` stands for the value itself. */
const segmentsOf = (path: string) => path.replace(/^\$\.?/, '').match(segment) ?? [];

/** What a dotted path leads to inside a value; only own members count. */
export function valueAt(value: unknown, path: string): unknown {
  let current = value;
  for (const name of segmentsOf(path)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** The JSON value that a text is, or `undefined`: also for one that is nested too deeply to be passed on. */
export function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(levelsMax, value) ? undefined : value;
  } catch {
    return undefined;
  }
}
