import type { Content } from 'pdfmake/interfaces.js';
import type { TextStyle } from './style.ts';

export type TextRun = TextStyle & { text: string };

/** A paragraph of text runs, with whitespace collapsed as in HTML; undefined if there is only whitespace. */
export function pdfParagraph(runs: readonly TextRun[], { alignment }: TextStyle): Content[] {
  const text: Content[] = [];
  // A space is collapsed at the start of a line and after another space.
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

/** Splits very long words for pdfmake: the time to break a word grows with the square of its length. */
const parted = (text: string) => (longWord.test(text) ? (text.match(partOfWord) ?? []) : [text]);
const longWord = /\S{300}/;
const partOfWord = /\S{1,100}\s*|\s+/g;

function inlineOf(run: TextRun, text: string): Content {
  const { preformatted, hidden: _hidden, alignment: _alignment, text: _text, ...looks } = run;
  return {
    ...looks,
    text,
    ...(preformatted && { preserveLeadingSpaces: true, preserveTrailingSpaces: true }),
  };
}
