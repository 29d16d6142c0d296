import type { MergeStrategy } from '../../adapters/ports/records-port.ts';
import { isJsonObject } from '../../core/json/json.ts';

type Metadata = Record<string, unknown>;

export const mergeMetadata: Record<MergeStrategy, (before: Metadata, updates: Metadata) => Metadata> = {
  merge: (before, updates) => ({ ...before, ...updates }),
  replace: (_before, updates) => updates,
  'deep-merge': deepMerge,
};

/** Like JSON Merge Patch (RFC 7396): merges objects, removes keys with null, replaces everything else. */
function deepMerge(before: unknown, updates: Metadata): Metadata {
  const merged = new Map(Object.entries(isJsonObject(before) ? before : {}));
  for (const [key, value] of Object.entries(updates)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isJsonObject(value) ? deepMerge(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}
