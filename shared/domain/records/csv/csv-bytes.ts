import { isUtf8 } from 'node:buffer';
import { invalidAt } from '../../../core/errors/errors.ts';

/** From UTF-8, Windows-1252, or UTF-16 with a byte order mark, to UTF-8 without one. @throws 400 for other encodings. */
export function toUtf8(bytes: Uint8Array): Buffer {
  const mark = markOf(bytes);
  const utf8 = mark && mark !== 'utf-8' ? fromUtf16(bytes, mark) : fromBytes(bytes, mark !== undefined);
  if (utf8.includes(0))
    throw invalidAt('file', 'NOT_CSV', 'The file is not a CSV file: it contains binary data');
  return utf8;
}

function markOf([first, second, third]: Uint8Array): 'utf-16le' | 'utf-16be' | 'utf-8' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function fromUtf16(bytes: Uint8Array, encoding: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    throw unknownEncoding(`it begins as ${encoding} but contains invalid bytes`);
  }
}

function fromBytes({ buffer, byteOffset, byteLength }: Uint8Array, isMarked: boolean): Buffer {
  const markLength = isMarked ? 3 : 0;
  const bytes = Buffer.from(buffer, byteOffset + markLength, byteLength - markLength);
  if (isUtf8(bytes)) return bytes;
  if (isMarked) throw unknownEncoding('it begins as utf-8 but contains invalid bytes');
  return fromWindows(bytes);
}

/** Windows-1252 decodes any bytes. Those without a character show that the file has another encoding. */
function fromWindows(bytes: Buffer): Buffer {
  const text = new TextDecoder('windows-1252').decode(bytes);
  const strange = bytes.includes(0) ? -1 : text.search(/[\x80-\x9f]/);
  if (strange >= 0)
    throw unknownEncoding(`line ${linesIn(text.slice(0, strange)) + 1} contains invalid bytes`);
  return Buffer.from(text);
}

const unknownEncoding = (reason: string) =>
  invalidAt(
    'file',
    'UNKNOWN_ENCODING',
    `The file is not in UTF-8, Windows-1252, or UTF-16 with a byte order mark: ${reason}. Save it as UTF-8`,
  );

const linesIn = (text: string) => text.match(/\r\n|\r|\n/g)?.length ?? 0;
