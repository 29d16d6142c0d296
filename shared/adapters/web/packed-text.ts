import type { TextFile } from './archive.ts';

const styles = {
  plain: ({ path, text }) => `==== ${path} ====\n${text}`,
  markdown: ({ path, text }) => `## ${path}\n\n${fenced(text, extension(path))}`,
  xml: ({ path, text }) =>
    `<file path="${path.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}">\n${text}\n</file>`,
} satisfies Record<string, (file: TextFile) => string>;

export type PackStyle = keyof typeof styles;

/** Joins the files, sorted by path. `compress` removes blank lines and trailing spaces. */
export function packed(files: readonly TextFile[], style: PackStyle, compress: boolean): string {
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
