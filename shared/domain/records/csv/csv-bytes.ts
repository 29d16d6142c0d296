import { isUtf8 } from 'node:buffer';
import { invalidAt } from '../../../core/errors/errors.ts';
import {
  type DecodedText,
  decodeAs,
  decodeUnnamed,
  encodingOfMark,
  knownEncoding,
  lettersIn,
  otherReadings,
} from '../../../core/text-encoding.ts';

export interface CsvBytes extends Omit<DecodedText, 'text'> {
  /** In UTF-8, without a byte order mark. */
  file: Buffer;
}

/**
 * Reads the encoding that the byte order mark says, else the named one, else the one that the bytes show.
 * @throws 400 if that is no encoding, or none is certain enough
 */
export function toUtf8(bytes: Uint8Array, named: string | undefined): CsvBytes {
  const mark = encodingOfMark(bytes);
  if (mark?.startsWith('utf-16') && bytes.length % 2 !== 0)
    throw unknownEncoding(`It begins as ${mark} and ends in the middle of a letter. Upload the whole file`);
  const encoding = mark ?? namedEncoding(named);
  if (encoding === undefined || encoding === 'utf-8') {
    const own = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const file = mark ? own.subarray(3) : own;
    if (file.includes(0)) throw binary();
    if (isUtf8(file) && !file.includes(0x1b))
      return { file, encoding: 'utf-8', isGuess: false, isDamaged: false };
  }
  const decoded = encoding === undefined ? decodeUnnamed(bytes) : decodeAs(bytes, encoding);
  if (!decoded) throw notCertain(bytes);
  const { text, ...rest } = decoded;
  if (mark) assertIsMost(mark, text);
  if (text.includes('\0')) throw binary();
  return { file: Buffer.from(text), ...rest };
}

function namedEncoding(named: string | undefined): string | undefined {
  if (named === undefined) return undefined;
  const known = knownEncoding(named);
  if (known !== undefined) return known;
  const message = `"${named}" is no encoding. Such are utf-8, windows-1252, windows-1251, gbk, shift_jis, macintosh`;
  throw invalidAt('encoding', 'INVALID_VALUE', message);
}

/** Programs put the mark of UTF-8 before other texts. */
function assertIsMost(mark: string, text: string): void {
  const { wellFormed, malformed } = lettersIn(text);
  if (malformed > wellFormed)
    throw unknownEncoding(`It begins as ${mark} but contains invalid bytes. Save it as UTF-8`);
}

function notCertain(bytes: Uint8Array) {
  const { line, readings } = otherReadings(bytes);
  const others = readings.length > 0 ? `: it reads as ${readings.join(', ')}` : '';
  return unknownEncoding(
    `Line ${line} contains invalid bytes for UTF-8 and is not certainly in Windows-1252${others}. Save the file as UTF-8, or name its \`encoding\``,
  );
}

const unknownEncoding = (reason: string) =>
  invalidAt('file', 'UNKNOWN_ENCODING', `The encoding of the file is not known. ${reason}`);

const binary = () => invalidAt('file', 'NOT_CSV', 'The file is not a CSV file: it contains binary data');
