import { createRequire } from 'node:module';
import { marked } from 'marked';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import pdfmake from 'pdfmake';
import type { Content } from 'pdfmake/interfaces.js';
import { blocks } from './blocks.ts';
import { fontFamilies } from './fonts.ts';
import { type HtmlNode, isElement, type Layout } from './layout.ts';
import { contentArea, type PdfPage } from './page.ts';
import { pdfParagraph, type TextRun } from './paragraph.ts';
import { attribute, declarations, type Element, elementStyle, type TextStyle } from './style.ts';

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

const unread = new Set(
  (
    'applet audio base canvas embed head iframe link math meta noembed noframes noscript object script select style ' +
    'svg template textarea title video'
  ).split(' '),
);

/** Lays out nodes. Inline text becomes paragraphs, which end at the next block element. */
function pdfContent(nodes: readonly HtmlNode[], style: TextStyle, layout: Layout): Content[] {
  const content: Content[] = [];
  let runs: TextRun[] = [];
  const endParagraph = () => {
    content.push(...pdfParagraph(runs, style));
    runs = [];
  };
  const visit = (node: HtmlNode, around: TextStyle) => {
    if (node.nodeName === '#text')
      runs.push({ ...around, text: (node as DefaultTreeAdapterTypes.TextNode).value });
    if (!isElement(node) || unread.has(node.tagName)) return;
    const own = elementStyle(node, around);
    if (own.hidden) return;
    if (Object.hasOwn(blocks, node.tagName)) {
      endParagraph();
      content.push(...paged(node, blocks[node.tagName]?.(node, own, layout) ?? []));
    } else {
      runs.push(...marks(node, own));
      for (const child of node.childNodes) visit(child, own);
    }
  };
  for (const node of nodes) visit(node, style);
  endParagraph();
  return content;
}

function marks(element: Element, style: TextStyle): TextRun[] {
  if (element.tagName === 'br') return [{ ...style, text: '\n', preformatted: true }];
  const isBox = element.tagName === 'input' && attribute(element, 'type') === 'checkbox';
  return isBox ? [{ ...style, text: attribute(element, 'checked') === undefined ? '☐' : '☑' }] : [];
}

/** Adds a page break before or after an element with that style. */
function paged(element: Element, made: Content[]): Content[] {
  const declared = declarations(element);
  const asks = (side: 'before' | 'after') =>
    /^(?:always|page)$/.test(declared.get(`page-break-${side}`) ?? declared.get(`break-${side}`) ?? '');
  const before: Content[] = asks('before') ? [{ text: '', pageBreak: 'before' }] : [];
  const after: Content[] = asks('after') ? [{ text: '', pageBreak: 'after' }] : [];
  return [...before, ...made, ...after];
}
