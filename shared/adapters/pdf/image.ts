import { inflateSync } from 'node:zlib';
import { attribute, type Element } from './style.ts';

const dataUrl = /^data:image\/(?:png|jpe?g);base64,([A-Za-z0-9+/=\s]+)$/i;

/** The embedded image of an element. Fetches nothing and reads no file. */
export function imageIn(element: Element): string | undefined {
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
