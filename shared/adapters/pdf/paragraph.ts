import type { Content } from 'pdfmake/interfaces.js';
import type { Style } from './style.ts';

/** Text that looks the same throughout. */
export type Run = Style & { text: string };

/** A paragraph of runs of text, with white space as HTML treats it; nothing where there is only white space. */
export function paragraphOf(runs: readonly Run[], { alignment }: Style): Content[] {
  const text: Content[] = [];
  // At the start of a line, and after another space, a space is not seen.
  let afterSpace = true;
  for (const run of runs) {
    const shown = run.preformatted ? run.text.replaceAll('\t', '    ') : spaced(run.text, afterSpace);
    if (shown === '') continue;
    afterSpace = /[ \n]$/.test(shown);
    for (const part of parted(shown)) text.push(inlineOf(run, part));
  }
  const seen = text.some((inline) => /\S|\n/.test((inline as { text: string }).text));
  return seen ? [{ text, ...(alignment && { alignment }) }] : [];
}

function spaced(text: string, afterSpace: boolean): string {
  const single = text.replace(/[ \t\n\r\f]+/g, ' ');
  return afterSpace ? single.replace(/^ /, '') : single;
}

/** A word that is longer than some lines is given to pdfmake in parts: the time it takes to break one grows with its square. */
const parted = (text: string) => (longWord.test(text) ? (text.match(partOfWord) ?? []) : [text]);
const longWord = /\S{300}/;
const partOfWord = /\S{1,100}\s*|\s+/g;

function inlineOf(run: Run, text: string): Content {
  const { preformatted, hidden: _hidden, alignment: _alignment, text: _text, ...looks } = run;
  return {
    ...looks,
    text,
    ...(preformatted && { preserveLeadingSpaces: true, preserveTrailingSpaces: true }),
  };
}
