import { toDetail } from '../../../core/errors/errors.ts';
import type { DocumentEntry, DocumentProblem } from './kind.ts';

/** @param limit What it has at most, such as `A surface has at most 64 items`. */
export function checkPartCount(
  { parts, path }: DocumentEntry,
  name: string,
  { max, limit }: { max: number; limit: string },
): DocumentProblem[] {
  if ((parts[name] ?? []).length <= max) return [];
  return [{ ...toDetail([...path, name], 'LIMIT_REACHED', limit), at: path, onlyIfChanging: true }];
}
