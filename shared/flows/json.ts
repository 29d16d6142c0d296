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

/** The JSON value that a text is, or `undefined`. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
