import { isDeepStrictEqual } from 'node:util';

type Members = Record<string, unknown>;

/** The JSON Merge Patch (RFC 7396) that makes one value of the other. */
export function patchBetween(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const removed = Object.keys(before).filter((name) => after[name] === undefined);
  const changed = Object.entries(after).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(before[name], value),
  );
  return Object.fromEntries([
    ...removed.map((name) => [name, null] as const),
    ...changed.map(([name, value]) => [name, patchBetween(before[name], value)] as const),
  ]);
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
