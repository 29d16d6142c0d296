import { isJsonObject } from './json.ts';

type Members = Record<string, unknown>;

/** Merges objects and replaces all other values; `null` removes a member (JSON Merge Patch, RFC 7396). */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: Members = isJsonObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(Object.hasOwn(merged, name) ? merged[name] : undefined, value);
  }
  return merged;
}
