/**
 * The bytes of a text file as UTF-8, piece by piece: unpacked from gzip, decoded from the encoding that its beginning shows or
 * the caller names, without a byte order mark.
 *
 * `openText` looks at the beginning first, since it says what the file is; the rest is read as the pieces are taken. What is
 * compressed so well that it must be meant to fill a memory is refused, and so is a gzip file that breaks off. Bytes that are
 * not in the encoding become U+FFFD, and the pieces from then on are marked, so that their rows can be problems.
 */

import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { ServiceError } from '../../../core/errors/errors.ts';
import { detectMark } from '../../../core/text-encoding.ts';
import { toUtf8 } from '../../records/csv/parse-csv.ts';
import { ImportFailure } from '../columns.ts';

export interface TextPiece {
  bytes: Buffer;
  /** Some bytes so far were not in the encoding. */
  isDamaged: boolean;
}

export interface OpenedText {
  /** The beginning as UTF-8, of which the last row may be cut. */
  sample: Buffer;
  /** Whether the sample is all. */
  isWhole: boolean;
  encoding: string;
  pieces: () => AsyncGenerator<TextPiece, void>;
}

const sampleBytes = 1_048_576;
const unpackedMax = 50 * 1024 ** 3;
/** Texts are compressed to a fiftieth at most; zeros to a thousandth. */
const ratioMax = 250;
const ratioFromBytes = 67_108_864;

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** @param source From the beginning. @throws ImportFailure */
export async function openText(
  source: AsyncIterable<Uint8Array>,
  { encoding: named, isCsv }: { encoding?: string | undefined; isCsv: boolean },
): Promise<OpenedText> {
  const unpacked = await unpack(source);
  const { first, isWhole, rest } = await takeFirst(unpacked, sampleBytes);
  assertIsText(first);
  const { encoding, file: sample } = translate(() => toUtf8(cutSample(first, isWhole), named), isCsv);
  return { sample, isWhole, encoding, pieces: () => decodePieces(first, rest, encoding) };
}

/** The decoded text of a file that was looked at before. */
export async function* reopenText(
  source: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<TextPiece, void> {
  yield* decodePieces(Buffer.alloc(0), await unpack(source), encoding);
}

async function unpack(source: AsyncIterable<Uint8Array>): Promise<AsyncGenerator<Buffer, void>> {
  const { first, rest } = await takeFirst(source, 2);
  const whole = concat(first, rest);
  return isGzip(first) ? gunzip(whole) : whole;
}

async function* concat(first: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  if (first.length > 0) yield first;
  for await (const piece of rest) yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
}

/** Of compressed bytes, which may become a thousand times as many. */
const unpackedAtOnce = 8_192;

/** Everything before the place at which a file breaks off, and then the failure. */
async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const unpacker = openUnpacker();
  let [packed, unpacked] = [0, 0];
  try {
    for await (const piece of source) {
      for (let at = 0; at < piece.length; at += unpackedAtOnce) {
        const some = piece.subarray(at, at + unpackedAtOnce);
        packed += some.length;
        for (const bytes of await unpacker.write(some)) {
          unpacked += bytes.length;
          assertNoBomb(packed, unpacked);
          yield bytes;
        }
      }
    }
    yield* await unpacker.end();
    unpacker.assertWhole();
  } finally {
    unpacker.close();
  }
}

function assertNoBomb(packed: number, unpacked: number): void {
  const isBomb = unpacked > ratioFromBytes && unpacked > packed * ratioMax;
  if (!isBomb && unpacked <= unpackedMax) return;
  const what = isBomb ? `${ratioMax} times its size` : '50 GB';
  throw new ImportFailure('COMPRESSION_BOMB', `The file unpacks to more than ${what}, which is refused`);
}

/** A stream would drop what it has unpacked when it fails. */
function openUnpacker() {
  const stream = createGunzip({ chunkSize: 65_536 });
  let out: Buffer[] = [];
  let failure: Error | undefined;
  let written = 0;
  let isEnded = false;
  let wake = () => {};
  stream.on('data', (bytes: Buffer) => out.push(bytes));
  stream.on('error', (error) => {
    failure ??= error;
    wake();
  });
  // Before the end of the file, if zeros follow.
  stream.on('end', () => {
    isEnded = true;
    wake();
  });
  async function send(start: (done: () => void) => void): Promise<Buffer[]> {
    if (!failure && !isEnded)
      await new Promise<void>((resolve) => {
        wake = resolve;
        start(resolve);
      });
    // The last pieces come a moment later.
    await setImmediate();
    const taken = out;
    out = [];
    return taken;
  }
  return {
    async write(bytes: Uint8Array): Promise<Buffer[]> {
      const from = written;
      written += bytes.length;
      const taken = await send((done) => stream.write(bytes, done));
      const behind = isEnded ? bytes.subarray(Math.max(0, stream.bytesWritten - from)) : [];
      if (behind.some((byte) => byte !== 0)) failure ??= new Error('Something else than zeros follows');
      return taken;
    },
    end: () => send(() => stream.end()),
    assertWhole() {
      if (failure) throw new ImportFailure('BROKEN_GZIP', 'The gzip file is damaged, or breaks off');
    },
    close: () => stream.destroy(),
  };
}

/** The first bytes, and what follows them: a failure too, if there are bytes before it. */
async function takeFirst(source: AsyncIterable<Uint8Array>, bytes: number) {
  const iterator = source[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let length = 0;
  let isWhole = false;
  let failure: ImportFailure | undefined;
  while (length < bytes && !isWhole && !failure) {
    try {
      const { value, done } = await iterator.next();
      isWhole = done === true;
      if (!done) held.push(value);
      length += value?.length ?? 0;
    } catch (error) {
      if (!(error instanceof ImportFailure) || length === 0) throw error;
      failure = error;
    }
  }
  const next = () => (failure ? Promise.reject(failure) : iterator.next());
  const stop = async () => ({ done: true as const, value: await iterator.return?.() });
  const rest: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next, return: stop }) };
  return { first: Buffer.concat(held), isWhole, rest };
}

const magics: [string, string][] = [
  ['PAR1', 'a Parquet file, which gzip does not help'],
  ['PK\x03\x04', 'a ZIP file or a workbook. Save the sheet as CSV'],
  ['\xd0\xcf\x11\xe0', 'an old workbook. Save the sheet as CSV'],
  ['%PDF', 'a PDF file'],
  ['BZh', 'packed by bzip2. Use gzip'],
  ['\x28\xb5\x2f\xfd', 'packed by zstd. Use gzip'],
  ['\xfd7zXZ', 'packed by xz. Use gzip'],
  ['Obj\x01', 'an Avro file'],
  ['ORC', 'an ORC file'],
  ['\x1f\x8b', 'packed twice by gzip'],
];

function assertIsText(first: Buffer): void {
  const begin = first.toString('latin1', 0, 8);
  const found = magics.find(([magic]) => begin.startsWith(magic) && (magic.length > 3 || first.includes(0)));
  if (found) throw new ImportFailure('WRONG_FORMAT', `The file is ${found[1]}`);
  if (first.length === 0) throw new ImportFailure('NO_ROWS', 'The file is empty');
}

/** Not in the middle of a letter. */
function cutSample(first: Buffer, isWhole: boolean): Buffer {
  if (isWhole) return first;
  if (detectMark(first)?.startsWith('utf-16')) return first.subarray(0, first.length & ~1);
  const end = first.lastIndexOf(0x0a);
  if (end > 0) return first.subarray(0, end + 1);
  return first.subarray(0, first.length - cutLetterBytes(first));
}

/** How many bytes at the end belong to a letter of UTF-8 that goes on. */
function cutLetterBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function translate<T>(read: () => T, isCsv: boolean): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [{ code, message } = { code: 'UNKNOWN_ENCODING', message: error.message }] = error.details;
    const isBinary = code === 'NOT_CSV';
    if (isBinary && !isCsv)
      throw new ImportFailure('WRONG_FORMAT', 'The file is not JSON Lines: it contains binary data');
    throw new ImportFailure(code, message.replace('`encoding`', '`csv.encoding`'));
  }
}

async function* decodePieces(
  first: Buffer,
  rest: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<TextPiece, void> {
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding);
  yield* decoder ? transcode(concat(first, rest), decoder) : checkUtf8(concat(first, rest));
}

async function* transcode(
  source: AsyncIterable<Buffer>,
  decoder: TextDecoder,
): AsyncGenerator<TextPiece, void> {
  let isDamaged = false;
  for await (const piece of source) {
    const text = decoder.decode(piece, { stream: true });
    isDamaged ||= text.includes('\uFFFD');
    yield { bytes: Buffer.from(text), isDamaged };
  }
  const end = decoder.decode();
  if (end) yield { bytes: Buffer.from(end), isDamaged: true };
}

/** Well-formed pieces stay as they are, without a copy. */
async function* checkUtf8(source: AsyncIterable<Buffer>): AsyncGenerator<TextPiece, void> {
  let isDamaged = false;
  let held: Buffer = Buffer.alloc(0);
  let isStart = true;
  for await (const piece of source) {
    let bytes = held.length > 0 ? Buffer.concat([held, piece]) : piece;
    if (isStart && bytes.length < 3) {
      held = bytes;
      continue;
    }
    if (isStart && detectMark(bytes) === 'utf-8') bytes = bytes.subarray(3);
    isStart = false;
    const end = bytes.length - cutLetterBytes(bytes);
    held = bytes.subarray(end);
    const whole = bytes.subarray(0, end);
    const isValid = isUtf8(whole);
    isDamaged ||= !isValid;
    if (whole.length > 0) yield { bytes: isValid ? whole : Buffer.from(whole.toString('utf8')), isDamaged };
  }
  if (held.length > 0)
    yield { bytes: Buffer.from(held.toString('utf8')), isDamaged: isDamaged || !isUtf8(held) };
}
