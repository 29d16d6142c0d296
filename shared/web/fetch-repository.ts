import { StepError } from '../flows/step.ts';
import { textFilesIn } from './archive.ts';
import { isText } from './content.ts';
import { archiveOf, fileAt, type GitHub, nameOf } from './github.ts';
import { globMatcher } from './globs.ts';
import { packed, type Style } from './packed-text.ts';
import type { RepositoryPlace } from './repository.ts';

export interface Packing {
  includePatterns: readonly string[];
  excludePatterns: readonly string[];
  compress: boolean;
  style: Style;
}

/** The text of the file at a place, or of all files below it in one. @throws StepError */
export async function fetchRepository(
  place: RepositoryPlace,
  { includePatterns, excludePatterns, compress, style }: Packing,
  github: GitHub,
): Promise<string> {
  const file = place.path === '' ? undefined : await fileAt(place, github);
  if (file) {
    const text = new TextDecoder().decode(file);
    if (!isText(text)) throw new StepError(`${nameOf(place)} is not text`);
    return text;
  }
  const included = includePatterns.length > 0 ? globMatcher(includePatterns) : () => true;
  const excluded = globMatcher(excludePatterns);
  const isBelow = (path: string) => place.path === '' || path.startsWith(`${place.path}/`);
  const wants = (path: string) => isBelow(path) && included(path) && !excluded(path);
  const files = await textFilesIn(await archiveOf(place, github), wants);
  if (files.length === 0) throw new StepError(`${nameOf(place)} has no text file that the patterns leave`);
  return packed(files, style, compress);
}
