import { inflateSync } from 'node:zlib';
import type { Content } from 'pdfmake/interfaces.js';
import { isElement, type Make } from './layout.ts';
import { pdfParagraph } from './paragraph.ts';
import { attribute, type Element } from './style.ts';
import { pdfTable } from './table.ts';

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

const stacked: Make = (element, style, layout) => {
  const stack = layout.contentOf(element.childNodes, style, layout);
  const margin = margins[element.tagName];
  return stack.length > 0 ? [{ stack, ...(margin && { margin }) }] : [];
};

const listed: Make = (element, style, layout) => {
  const items = element.childNodes.filter(isElement).map((item): Content => {
    const stack = layout.contentOf([item], style, layout);
    return stack.length > 0 ? { stack } : { text: ' ' };
  });
  if (items.length === 0) return [];
  if (element.tagName !== 'ol') return [{ ul: items, margin: below }];
  const start = Number(attribute(element, 'start') ?? 1);
  return [{ ol: items, margin: below, ...(Number.isSafeInteger(start) && { start }) }];
};

const boxed: Make = (element, style, layout) => {
  const stack = layout.contentOf(element.childNodes, style, layout);
  const border: [boolean, boolean, boolean, boolean] = [false, false, false, false];
  const cell = { stack, fillColor: '#f4f4f4', border };
  return [{ table: { widths: ['*'], body: [[cell]] }, margin: below }];
};

const ruled: Make = () => {
  const border: [boolean, boolean, boolean, boolean] = [false, true, false, false];
  const layout = { hLineWidth: () => 0.5, hLineColor: () => '#999999' };
  return [
    { table: { widths: ['*'], body: [[{ text: '', fontSize: 1, border }]] }, layout, margin: [0, 8, 0, 4] },
  ];
};

/** An embedded image, else its alternative text. */
const pictured: Make = (element, style, { room }) => {
  const image = imageIn(element);
  if (!image) return pdfParagraph([{ ...style, text: attribute(element, 'alt') ?? '' }], style);
  const pixels = Number.parseFloat(attribute(element, 'width') ?? '');
  const width = Math.min(room.width, pixels * 0.75);
  const size = width >= 1 ? { width } : { maxWidth: room.width, maxHeight: room.height };
  return [{ image, ...size, ...(style.alignment && { alignment: style.alignment }), margin: [0, 2, 0, 6] }];
};

const stackedTags =
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure ' +
  'footer form h1 h2 h3 h4 h5 h6 header html legend li main nav p section summary';

export const blocks: Readonly<Record<string, Make>> = {
  ...Object.fromEntries(stackedTags.split(' ').map((tag) => [tag, stacked])),
  ul: listed,
  ol: listed,
  menu: listed,
  pre: boxed,
  hr: ruled,
  img: pictured,
  table: pdfTable,
};

const dataUrl = /^data:image\/(?:png|jpe?g);base64,([A-Za-z0-9+/=\s]+)$/i;

/** The embedded image of an element. Fetches nothing and reads no file. */
function imageIn(element: Element): string | undefined {
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
    return inflateSync(pixelsIn(bytes), { maxOutputLength: rowBytes * height * 2 + 1_000 }).length > 0;
  } catch {
    return false;
  }
}

function pixelsIn(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  return Buffer.concat(parts);
}
