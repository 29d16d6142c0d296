import { Minimatch } from 'minimatch';
import { StepError } from '../../core/errors/step-error.ts';
import { withoutTrailing } from '../../core/text.ts';
import { type TextFile, textFilesIn } from './archive.ts';

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

/** Linear in the path's length for every pattern: minimatch creates no regular expressions. */
const options = { dot: true, matchBase: true, nocomment: true, nonegate: true, braceExpandMax: 100 };

/** Whether a pattern matches a path or one of its directories. */
function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.flatMap((pattern) => {
    const place = withoutTrailing(pattern, '/').replace(/^\.?\/+/, '');
    const anywhere = place.includes('/') ? place : `**/${place}`;
    return [place, `${anywhere}/**`].map((glob) => new Minimatch(glob, options));
  });
  return (path) => matchers.some((matcher) => matcher.match(path));
}

const styles = {
  plain: ({ path, text }) => `==== ${path} ====\n${text}`,
  markdown: ({ path, text }) => `## ${path}\n\n${fenced(text, extension(path))}`,
  xml: ({ path, text }) =>
    `<file path="${path.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}">\n${text}\n</file>`,
} satisfies Record<string, (file: TextFile) => string>;

type PackStyle = keyof typeof styles;

/** Joins the files, sorted by path. `compress` removes blank lines and trailing spaces. */
function packed(files: readonly TextFile[], style: PackStyle, compress: boolean): string {
  return files
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, text }) => styles[style]({ path, text: compress ? compressed(text) : text.trimEnd() }))
    .join('\n\n');
}

const compressed = (text: string) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');

/** Uses a fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(
    0,
    ...[...text.matchAll(/^[ \t]*(`{3,})/gm)].map(([, ticks = '']) => ticks.length),
  );
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

const extension = (path: string) => /\.([a-z0-9]{1,12})$/i.exec(path)?.[1] ?? '';
