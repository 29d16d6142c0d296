import { detailAt } from '../../../core/errors/errors.ts';
import type { Entry, Problem } from './kind.ts';

/** @param limit What it has at most, such as `A surface has at most 64 items`. */
export function tooManyParts(
  { parts, path }: Entry,
  name: string,
  { max, limit }: { max: number; limit: string },
): Problem[] {
  if ((parts[name] ?? []).length <= max) return [];
  return [{ ...detailAt([...path, name], 'LIMIT_REACHED', limit), at: path, onlyIfChanging: true }];
}
