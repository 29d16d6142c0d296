import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Content } from 'pdfmake/interfaces.js';
import { blocks } from './blocks.ts';
import { type HtmlNode, isElement, type Layout } from './layout.ts';
import { pdfParagraph, type TextRun } from './paragraph.ts';
import { attribute, declarations, type Element, elementStyle, type TextStyle } from './style.ts';

const unread = new Set(
  (
    'applet audio base canvas embed head iframe link math meta noembed noframes noscript object script select style ' +
    'svg template textarea title video'
  ).split(' '),
);

/** Lays out nodes. Inline text becomes paragraphs, which end at the next block element. */
export function pdfContent(nodes: readonly HtmlNode[], style: TextStyle, layout: Layout): Content[] {
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
