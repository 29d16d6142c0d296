import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

export const Difference = z
  .object({
    path: z.string().meta({ description: 'Within the resource' }),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: 'WorkspaceDifference' });
export type Difference = z.infer<typeof Difference>;

/** What differs, as deep as objects and lists are on both sides. A missing value is null. */
export function listDifferences(before: unknown, after: unknown, path: readonly string[] = []): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const [old, next] = [toMembers(before), toMembers(after)];
  if (!old || !next || Array.isArray(before) !== Array.isArray(after))
    return [{ path: path.join('.'), before: before ?? null, after: after ?? null }];
  const names = [...new Set([...old.keys(), ...next.keys()])];
  return names.flatMap((name) => listDifferences(old.get(name), next.get(name), [...path, name]));
}

const toMembers = (value: unknown): Map<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
