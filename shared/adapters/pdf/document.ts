import { createRequire } from 'node:module';
import { marked } from 'marked';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import pdfmake from 'pdfmake';
import { pdfContent } from './content.ts';
import { fontFamilies } from './fonts.ts';
import type { HtmlNode } from './layout.ts';
import { contentArea, type PdfPage } from './page.ts';
import type { Element } from './style.ts';

export interface PdfSource {
  text: string;
  isMarkdown: boolean;
  title: string;
  page: PdfPage;
  /** In Unix milliseconds. */
  createdAt: number;
}

const { resolve } = createRequire(import.meta.url);
const fonts = Object.fromEntries(
  Object.entries(fontFamilies).map(([name, files]) => [
    name,
    Object.fromEntries(Object.entries(files).map(([style, file]) => [style, resolve(file)])),
  ]),
);
const paths = new Set(Object.values(fonts).flatMap((files) => Object.values(files)));

pdfmake.setFonts(fonts);
// Whatever the converter lets through, it fetches nothing and reads only the fonts.
pdfmake.setUrlAccessPolicy(() => false);
pdfmake.setLocalAccessPolicy((path) => paths.has(path));

const fontSize = 10.5;

/** Creates a PDF from HTML or Markdown. Deterministic: the same source yields the same bytes. */
export async function makePdf({ text, isMarkdown, title, page, createdAt }: PdfSource): Promise<Buffer> {
  const document = parse(isMarkdown ? await marked(text, { gfm: true }) : text);
  const content = pdfContent(
    document.childNodes,
    { fontSize },
    { room: contentArea(page), contentOf: pdfContent },
  );
  const { width, height, margins: pageMargins } = page;
  return pdfmake
    .createPdf({
      content: content.length > 0 ? content : [{ text: '' }],
      pageSize: { width, height },
      pageMargins,
      defaultStyle: { font: 'Sans', fontSize, lineHeight: 1.2 },
      info: { title: titleIn(document) || title, creationDate: new Date(createdAt) },
    })
    .getBuffer();
}

function titleIn({ childNodes }: DefaultTreeAdapterTypes.Document): string | undefined {
  let nodes: readonly HtmlNode[] = childNodes;
  for (const tag of ['html', 'head', 'title']) {
    nodes = nodes.find((node): node is Element => node.nodeName === tag)?.childNodes ?? [];
  }
  const [text] = nodes;
  return text?.nodeName === '#text' ? (text as DefaultTreeAdapterTypes.TextNode).value.trim() : undefined;
}
