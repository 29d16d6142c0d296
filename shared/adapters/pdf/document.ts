/**
 * Converts HTML or Markdown to a PDF with pdfmake: the same source yields the same bytes.
 * Runs in a thread of the sandbox by itself (`tasks.ts`), because layout may take all memory and time. Nothing is fetched and
 * no file but the fonts is read; images are data URLs whose decompressed size is checked first.
 * The tree of nodes is walked once: inline nodes become text runs of a paragraph, which the next block element ends; blocks
 * (`blocks`) lay out their own children with the room that they have. Styles are inherited through `style.ts`.
 * `render-pdf.ts` is the interface for the steps of flows.
 */
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { marked } from 'marked';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import pdfmake from 'pdfmake';
import type { Content, TableCell } from 'pdfmake/interfaces.js';
import { fontFamilies } from './fonts.ts';
import { contentArea, type PdfPage } from './page.ts';
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
  const content = layOutNodes(
    document.childNodes,
    { fontSize },
    { room: contentArea(page), layOut: layOutNodes },
  );
  const { width, height, margins: pageMargins } = page;
  return pdfmake
    .createPdf({
      content: content.length > 0 ? content : [{ text: '' }],
      pageSize: { width, height },
      pageMargins,
      defaultStyle: { font: 'Sans', fontSize, lineHeight: 1.2 },
      info: { title: findTitle(document) || title, creationDate: new Date(createdAt) },
    })
    .getBuffer();
}

function findTitle({ childNodes }: DefaultTreeAdapterTypes.Document): string | undefined {
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
function layOutNodes(nodes: readonly HtmlNode[], style: TextStyle, layout: Layout): Content[] {
  const content: Content[] = [];
  let runs: TextRun[] = [];
  const endParagraph = () => {
    content.push(...makeParagraph(runs, style));
    runs = [];
  };
  const visit = (node: HtmlNode, around: TextStyle) => {
    if (node.nodeName === '#text')
      runs.push({ ...around, text: (node as DefaultTreeAdapterTypes.TextNode).value });
    if (!isElement(node) || unread.has(node.tagName)) return;
    const nodeStyle = elementStyle(node, around);
    if (nodeStyle.hidden) return;
    if (Object.hasOwn(blocks, node.tagName)) {
      endParagraph();
      content.push(...addPageBreaks(node, blocks[node.tagName]?.(node, nodeStyle, layout) ?? []));
    } else {
      runs.push(...makeMarks(node, nodeStyle));
      for (const child of node.childNodes) visit(child, nodeStyle);
    }
  };
  for (const node of nodes) visit(node, style);
  endParagraph();
  return content;
}

function makeMarks(element: Element, style: TextStyle): TextRun[] {
  if (element.tagName === 'br') return [{ ...style, text: '\n', preformatted: true }];
  const isBox = element.tagName === 'input' && attribute(element, 'type') === 'checkbox';
  return isBox ? [{ ...style, text: attribute(element, 'checked') === undefined ? '☐' : '☑' }] : [];
}

/** Adds a page break before or after an element with that style. */
function addPageBreaks(element: Element, made: Content[]): Content[] {
  const declared = declarations(element);
  const asks = (side: 'before' | 'after') =>
    /^(?:always|page)$/.test(declared.get(`page-break-${side}`) ?? declared.get(`break-${side}`) ?? '');
  const before: Content[] = asks('before') ? [{ text: '', pageBreak: 'before' }] : [];
  const after: Content[] = asks('after') ? [{ text: '', pageBreak: 'after' }] : [];
  return [...before, ...made, ...after];
}

const columnsMax = 60;

const lines = {
  hLineWidth: () => 0.5,
  vLineWidth: () => 0.5,
  hLineColor: () => '#bbbbbb',
  vLineColor: () => '#bbbbbb',
  paddingTop: () => 3,
  paddingBottom: () => 3,
};

interface Row {
  element: Element;
  cells: Element[];
  isHead: boolean;
}

const makeTable: Make = (table, style, layout) => {
  const rows = listRows(table);
  const grid = createGrid(rows);
  // Columns that only cells from further left reach do not exist.
  const columns = grid.reduce(
    (most, line) => Math.max(most, line.findLastIndex((place) => typeof place === 'object') + 1),
    0,
  );
  const caption = elements(table).filter(({ tagName }) => tagName === 'caption');
  const above = layout.layOut(caption, { ...style, alignment: 'center' }, layout);
  if (columns === 0) return above;
  if (columns > columnsMax) throw new Error(`a table has ${columns} columns; the maximum is ${columnsMax}`);
  const inside = { ...layout, room: { ...layout.room, width: layout.room.width / columns } };
  const body = grid.map((row, at) => {
    const looks = elementStyle((rows[at] as Row).element, style);
    return Array.from({ length: columns }, (_, column) =>
      createCell(row[column], columns - column, looks, inside),
    );
  });
  const heads = rows.findIndex(({ isHead }) => !isHead);
  const widths = Array.from({ length: columns }, (_, column) => decideWidth(table, grid[0]?.[column]));
  const bare =
    attribute(table, 'border') === '0' || /^(?:0|none)/.test(declarations(table).get('border') ?? '');
  const content: Content = {
    table: { body, widths, headerRows: Math.max(0, heads) },
    layout: bare ? 'noBorders' : lines,
    margin: [0, 0, 0, 8],
  };
  return [...above, content];
};

const elements = ({ childNodes }: { childNodes: HtmlNode[] }) => childNodes.filter(isElement);

const listRows = (table: Element): Row[] =>
  elements(table)
    .filter(({ tagName }) => /^t(?:head|body|foot)$/.test(tagName))
    .flatMap((part) =>
      elements(part).map((element) => ({
        element,
        cells: elements(element),
        isHead: part.tagName === 'thead',
      })),
    );

/** A grid position: a cell, or one covered by a cell from the left or above. */
type Place = { cell: Element; colSpan: number; rowSpan: number } | 'reached' | undefined;

function createGrid(rows: readonly Row[]): Place[][] {
  const grid: Place[][] = rows.map(() => []);
  for (const [at, row] of rows.entries()) {
    const line = grid[at] as Place[];
    let column = 0;
    for (const cell of row.cells) {
      while (line[column]) column++;
      const rowSpan = Math.min(readSpan(cell, 'rowspan'), rows.length - at);
      let colSpan = 1;
      while (colSpan < readSpan(cell, 'colspan') && !line[column + colSpan]) colSpan++;
      for (const reached of grid.slice(at, at + rowSpan))
        reached.fill('reached', ...extend(reached, column, colSpan));
      line[column] = { cell, colSpan, rowSpan };
    }
  }
  return grid;
}

/** Extends a row for a cell. @returns where the cell begins and ends. */
function extend(line: Place[], column: number, colSpan: number): [number, number] {
  while (line.length < column + colSpan) line.push(undefined);
  return [column, column + colSpan];
}

function readSpan(cell: Element, name: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(attribute(cell, name) ?? '1', 10);
  return span >= 1 ? Math.min(span, 1_000) : 1;
}

function createCell(place: Place, columnsLeft: number, around: TextStyle, layout: Layout): TableCell {
  if (place === undefined || place === 'reached') return { text: '' };
  const { cell, rowSpan } = place;
  const colSpan = Math.min(place.colSpan, columnsLeft);
  const { background, ...style } = elementStyle(cell, around);
  const fillColor = background ?? (cell.tagName === 'th' ? '#eeeeee' : undefined);
  return {
    stack: layout.layOut(cell.childNodes, style, layout),
    ...(colSpan > 1 && { colSpan }),
    ...(rowSpan > 1 && { rowSpan }),
    ...(fillColor && { fillColor }),
  };
}

function decideWidth(table: Element, first: Place): string {
  const readWidth = (element: Element) =>
    declarations(element).get('width') ?? attribute(element, 'width') ?? '';
  const columnWidth = typeof first === 'object' && first.colSpan === 1 ? readWidth(first.cell) : '';
  if (/^\d{1,2}(?:\.\d+)?%$/.test(columnWidth)) return columnWidth;
  return readWidth(table) === '100%' ? '*' : 'auto';
}

type Margin = [left: number, top: number, right: number, bottom: number];

const below: Margin = [0, 0, 0, 8];
const margins: Record<string, Margin> = {
  p: below,
  h1: [0, 14, 0, 8],
  h2: [0, 12, 0, 6],
  h3: [0, 10, 0, 5],
  h4: [0, 8, 0, 4],
  h5: [0, 8, 0, 4],
  h6: [0, 8, 0, 4],
  blockquote: [14, 0, 0, 8],
  dd: [14, 0, 0, 4],
  figure: [0, 4, 0, 8],
};

const makeStack: Make = (element, style, layout) => {
  const stack = layout.layOut(element.childNodes, style, layout);
  const margin = margins[element.tagName];
  return stack.length > 0 ? [{ stack, ...(margin && { margin }) }] : [];
};

const makeList: Make = (element, style, layout) => {
  const items = element.childNodes.filter(isElement).map((item): Content => {
    const stack = layout.layOut([item], style, layout);
    return stack.length > 0 ? { stack } : { text: ' ' };
  });
  if (items.length === 0) return [];
  if (element.tagName !== 'ol') return [{ ul: items, margin: below }];
  const start = Number(attribute(element, 'start') ?? 1);
  return [{ ol: items, margin: below, ...(Number.isSafeInteger(start) && { start }) }];
};

const makeBox: Make = (element, style, layout) => {
  const stack = layout.layOut(element.childNodes, style, layout);
  const border: [boolean, boolean, boolean, boolean] = [false, false, false, false];
  const cell = { stack, fillColor: '#f4f4f4', border };
  return [{ table: { widths: ['*'], body: [[cell]] }, margin: below }];
};

const makeRule: Make = () => {
  const border: [boolean, boolean, boolean, boolean] = [false, true, false, false];
  const layout = { hLineWidth: () => 0.5, hLineColor: () => '#999999' };
  return [
    { table: { widths: ['*'], body: [[{ text: '', fontSize: 1, border }]] }, layout, margin: [0, 8, 0, 4] },
  ];
};

/** An embedded image, else its alternative text. */
const makePicture: Make = (element, style, { room }) => {
  const image = readImage(element);
  if (!image) return makeParagraph([{ ...style, text: attribute(element, 'alt') ?? '' }], style);
  const pixels = Number.parseFloat(attribute(element, 'width') ?? '');
  const width = Math.min(room.width, pixels * 0.75);
  const size = width >= 1 ? { width } : { maxWidth: room.width, maxHeight: room.height };
  return [{ image, ...size, ...(style.alignment && { alignment: style.alignment }), margin: [0, 2, 0, 6] }];
};

const stackedTags =
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure ' +
  'footer form h1 h2 h3 h4 h5 h6 header html legend li main nav p section summary';

const blocks: Readonly<Record<string, Make>> = {
  ...Object.fromEntries(stackedTags.split(' ').map((tag) => [tag, makeStack])),
  ul: makeList,
  ol: makeList,
  menu: makeList,
  pre: makeBox,
  hr: makeRule,
  img: makePicture,
  table: makeTable,
};

const dataUrl = /^data:image\/(?:png|jpe?g);base64,([A-Za-z0-9+/=\s]+)$/i;

/** The embedded image of an element. Fetches nothing and reads no file. */
function readImage(element: Element): string | undefined {
  const [, encoded] = dataUrl.exec(attribute(element, 'src')?.trim() ?? '') ?? [];
  if (!encoded) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.subarray(0, 2).equals(jpegStart)) return `data:image/jpeg;base64,${bytes.toString('base64')}`;
  return isSoundPng(bytes) ? `data:image/png;base64,${bytes.toString('base64')}` : undefined;
}

const jpegStart = Buffer.from([0xff, 0xd8]);
const pngStart = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const pixelsMax = 20_000_000;
const channelsOf: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Checks the decompressed size against the header: a small file could exceed the memory. */
function isSoundPng(bytes: Buffer): boolean {
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(pngStart)) return false;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const channels = channelsOf[bytes[25] ?? -1];
  if (!channels || width * height === 0 || width * height > pixelsMax) return false;
  const rowBytes = Math.ceil((width * channels * (bytes[24] ?? 0)) / 8) + 1;
  try {
    // An interlaced image consists of seven smaller ones, whose rows take one more byte each.
    return inflateSync(readPixels(bytes), { maxOutputLength: rowBytes * height * 2 + 1_000 }).length > 0;
  } catch {
    return false;
  }
}

function readPixels(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  return Buffer.concat(parts);
}

type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
const isElement = (node: HtmlNode): node is Element => 'tagName' in node;

interface Layout {
  room: { width: number; height: number };
  layOut: (nodes: readonly HtmlNode[], style: TextStyle, layout: Layout) => Content[];
}

type Make = (element: Element, style: TextStyle, layout: Layout) => Content[];

type TextRun = TextStyle & { text: string };

/** A paragraph of text runs, with whitespace collapsed as in HTML; undefined if there is only whitespace. */
function makeParagraph(runs: readonly TextRun[], { alignment }: TextStyle): Content[] {
  const text: Content[] = [];
  // A space is collapsed at the start of a line and after another space.
  let afterSpace = true;
  for (const run of runs) {
    const shown = run.preformatted ? run.text.replaceAll('\t', '    ') : collapseSpaces(run.text, afterSpace);
    if (shown === '') continue;
    afterSpace = /[ \n]$/.test(shown);
    for (const part of splitWords(shown)) text.push(makeInline(run, part));
  }
  const isVisible = text.some((inline) => /\S|\n/.test((inline as { text: string }).text));
  return isVisible ? [{ text, ...(alignment && { alignment }) }] : [];
}

function collapseSpaces(text: string, afterSpace: boolean): string {
  const single = text.replace(/[ \t\n\r\f]+/g, ' ');
  return afterSpace ? single.replace(/^ /, '') : single;
}

/** Splits very long words for pdfmake: the time to break a word grows with the square of its length. */
const splitWords = (text: string) => (longWord.test(text) ? (text.match(partOfWord) ?? []) : [text]);
const longWord = /\S{300}/;
const partOfWord = /\S{1,100}\s*|\s+/g;

function makeInline(run: TextRun, text: string): Content {
  const { preformatted, hidden: _hidden, alignment: _alignment, text: _text, ...looks } = run;
  return {
    ...looks,
    text,
    ...(preformatted && { preserveLeadingSpaces: true, preserveTrailingSpaces: true }),
  };
}
