import { StepError } from '../../core/errors/step-error.ts';
import { textFilesIn } from './archive.ts';
import { globMatcher } from './globs.ts';
import { type PackStyle, packed } from './packed-text.ts';

export interface RepositoryPacking {
  includePatterns: readonly string[];
  excludePatterns: readonly string[];
  compress: boolean;
  style: PackStyle;
}

/** Joins the matching text files of an archive below a path; `''` if there are none. Warns of files whose letters may be wrong. */
export async function packRepository({
  archive,
  path: below,
  packing: { includePatterns, excludePatterns, compress, style },
}: {
  archive: Uint8Array;
  path: string;
  packing: RepositoryPacking;
}): Promise<{ text: string; warnings: string[] } | { problem: string }> {
  const included = includePatterns.length > 0 ? globMatcher(includePatterns) : () => true;
  const excluded = globMatcher(excludePatterns);
  const isBelow = (path: string) => below === '' || path.startsWith(`${below}/`);
  const wants = (path: string) => isBelow(path) && included(path) && !excluded(path);
  try {
    const files = await textFilesIn(archive, wants);
    const warnings = files.flatMap(({ path, problem }) => (problem ? [`${path} ${problem}`] : []));
    return { text: packed(files, style, compress), warnings };
  } catch (error) {
    if (error instanceof StepError) return { problem: error.message };
    throw error;
  }
}
