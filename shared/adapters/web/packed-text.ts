import type { TextFile } from './archive.ts';

/** How many files become one text. */
export const styles = {
  plain: ({ path, text }) => `==== ${path} ====\n${text}`,
  markdown: ({ path, text }) => `## ${path}\n\n${fenced(text, extension(path))}`,
  xml: ({ path, text }) =>
    `<file path="${path.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}">\n${text}\n</file>`,
} satisfies Record<string, (file: TextFile) => string>;

export type Style = keyof typeof styles;

/** The files as one text, by their paths. `compress` leaves out blank lines and spaces at line ends. */
export function packed(files: readonly TextFile[], style: Style, compress: boolean): string {
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

/** In a fence that is longer than any inside. */
function fenced(text: string, language: string): string {
  const longest = Math.max(
    0,
    ...[...text.matchAll(/^[ \t]*(`{3,})/gm)].map(([, ticks = '']) => ticks.length),
  );
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

const extension = (path: string) => /\.([a-z0-9]{1,12})$/i.exec(path)?.[1] ?? '';
