import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../core/json/json.ts';

/** The JSON Merge Patch (RFC 7396) that makes one value of the other. */
export function patchBetween(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after)) return after;
  const removed = Object.keys(before).filter((name) => after[name] === undefined);
  const changed = Object.entries(after).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(before[name], value),
  );
  return Object.fromEntries([
    ...removed.map((name) => [name, null] as const),
    ...changed.map(([name, value]) => [name, patchBetween(before[name], value)] as const),
  ]);
}
