import type { MergeStrategy } from '../../adapters/ports/records-port.ts';

type Metadata = Record<string, unknown>;

export const mergeMetadata: Record<MergeStrategy, (before: Metadata, updates: Metadata) => Metadata> = {
  merge: (before, updates) => ({ ...before, ...updates }),
  replace: (_before, updates) => updates,
  'deep-merge': deepMerge,
};

/** Like JSON Merge Patch (RFC 7396): merges objects, removes keys with null, replaces everything else. */
function deepMerge(before: unknown, updates: Metadata): Metadata {
  const merged = new Map(Object.entries(isObject(before) ? before : {}));
  for (const [key, value] of Object.entries(updates)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? deepMerge(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
