/**
 * The rows of a Parquet file, as lines of JSON. Loaded when the first one is read, with the library and its decompressors.
 *
 * The end of the file describes it, so it is read by ranges: rows are taken in slices that have about 16 MB together, within a
 * group of rows. What the library would round is refused, or becomes text: decimals of more than 15 digits, and times finer
 * than milliseconds. A time that is in no zone gets none. Columns of nested values become lists and objects; binary values become text in base64. A null is a
 * missing value, except that of JSON.
 */

import { Buffer, isUtf8 } from 'node:buffer';
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from 'hyparquet';
import { compressors as allCompressors } from 'hyparquet-compressors';
import { parseExact } from '../../../core/json/exact-json.ts';
import { ImportFailure } from '../columns.ts';
import { columnsMax, rowsMax } from '../import.ts';
import { type RowBatch, toProblemLine } from './text-rows.ts';

export interface RangedFile {
  bytes: number;
  readSlice: (from: number, to: number) => Promise<Buffer>;
}

const sliceBytes = 16_777_216;
const groupBytesMax = 1_073_741_824;
const metadataBytesMax = 67_108_864;
/** A page has about 1 MB. */
const pageBytesMax = 67_108_864;
const storedBytesMax = 262_144;
const rowsPerBatch = 500;

/** @param from The first row. @throws ImportFailure */
export async function* readParquetRows(file: RangedFile, from: number): AsyncGenerator<RowBatch, void> {
  const source = toBuffer(file);
  const metadata = await readMetadata(source, file);
  assertReadable(metadata);
  const localTimes = findLocalTimes(metadata.schema);
  for (const { rowStart, rowEnd } of slices(metadata, from)) {
    const rows = await readRows(source, metadata, rowStart, rowEnd);
    for (let at = 0; at < rows.length; at += rowsPerBatch) {
      const some = rows.slice(at, at + rowsPerBatch);
      yield {
        lines: some.map((row) => toLine(row, localTimes)),
        ends: some.map((_, index) => rowStart + at + index + 1),
      };
    }
  }
}

/** As the file says. */
export const countParquetRows = async (file: RangedFile): Promise<number> =>
  Number((await readMetadata(toBuffer(file), file)).num_rows);

const toBuffer = ({ bytes, readSlice }: RangedFile): AsyncBuffer => ({
  byteLength: bytes,
  async slice(start, end = bytes) {
    const from = start < 0 ? bytes + start : start;
    const slice = await readSlice(from, end);
    // A buffer may share its memory with others.
    return slice.buffer.slice(slice.byteOffset, slice.byteOffset + slice.length) as ArrayBuffer;
  },
});

async function readMetadata(source: AsyncBuffer, { bytes, readSlice }: RangedFile): Promise<FileMetaData> {
  const end = await readSlice(Math.max(0, bytes - 8), bytes);
  if (bytes < 12 || end.toString('latin1', 4) !== 'PAR1')
    throw new ImportFailure('BROKEN_PARQUET', 'The Parquet file breaks off: its end does not describe it');
  if (end.readUInt32LE(0) > metadataBytesMax)
    throw new ImportFailure(
      'BROKEN_PARQUET',
      'The description at the end of the Parquet file is larger than 64 MB',
    );
  return translate(() => parquetMetadataAsync(source, { geoparquet: false }));
}

function assertReadable({ schema, row_groups: groups, num_rows: rows }: FileMetaData): void {
  if (schema.length - 1 > columnsMax)
    throw new ImportFailure(
      'TOO_MANY_COLUMNS',
      `A file has at most ${columnsMax} columns; this one has ${schema.length - 1}`,
    );
  if (rows > BigInt(rowsMax)) throw new ImportFailure('TOO_MANY_ROWS', `A file has at most ${rowsMax} rows`);
  const large = schema.find(isLongDecimal);
  if (large)
    throw new ImportFailure(
      'NOT_SUPPORTED',
      `The column "${large.name}" has decimals of more than 15 digits, which are not read exactly. Write it as text`,
    );
  if (groups.some((group) => group.total_byte_size > BigInt(groupBytesMax)))
    throw new ImportFailure(
      'NOT_SUPPORTED',
      'A row group has more than 1 GB. Write the file with smaller row groups',
    );
}

const isLongDecimal = ({ converted_type, logical_type, precision = 0 }: SchemaElement): boolean =>
  (converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL') && precision > 15;

/** The columns whose times are in no zone: those of a clock on a wall. */
function findLocalTimes(schema: readonly SchemaElement[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = 1; at < schema.length; at = findEnd(schema, at)) {
    const { name = '', logical_type: type } = schema[at] ?? {};
    if (type?.type === 'TIMESTAMP' && !type.isAdjustedToUTC) names.add(name);
  }
  return names;
}

/** The place after an element and all within it. */
function findEnd(schema: readonly SchemaElement[], at: number): number {
  let end = at + 1;
  for (let children = schema[at]?.num_children ?? 0; children > 0; children--) end = findEnd(schema, end);
  return end;
}

function* slices({ row_groups: groups }: FileMetaData, from: number) {
  let groupStart = 0;
  for (const { num_rows, total_byte_size } of groups) {
    const rows = Number(num_rows);
    const parts = Math.max(1, Math.ceil(Number(total_byte_size) / sliceBytes));
    const step = Math.max(1, Math.ceil(rows / parts));
    for (let start = 0; start < rows; start += step) {
      const rowStart = Math.max(from, groupStart + start);
      const rowEnd = groupStart + Math.min(rows, start + step);
      if (rowStart < rowEnd) yield { rowStart, rowEnd };
    }
    groupStart += rows;
  }
}

const readRows = (file: AsyncBuffer, metadata: FileMetaData, rowStart: number, rowEnd: number) =>
  translate(() =>
    parquetReadObjects({
      file,
      metadata,
      rowStart,
      rowEnd,
      compressors,
      parsers,
      geoparquet: false,
      useOffsetIndex: true,
    }),
  );

/** A page says itself how large it becomes. */
const compressors = Object.fromEntries(
  Object.entries(allCompressors).map(([codec, decompress]) => [
    codec,
    (input: Uint8Array, length: number) => {
      if (length > pageBytesMax)
        throw new ImportFailure(
          'COMPRESSION_BOMB',
          'A page of the Parquet file has more than 64 MB, which is refused',
        );
      return decompress?.(input, length) as Uint8Array;
    },
  ]),
) as Compressors;

async function translate<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ImportFailure || !isOfLibrary(error)) throw error;
    const { message } = error as Error;
    throw new ImportFailure('BROKEN_PARQUET', `The Parquet file cannot be read: ${message.slice(0, 300)}`);
  }
}

/** Requests fail with errors of their own. */
const isOfLibrary = (error: unknown) =>
  error instanceof RangeError || error instanceof TypeError || (error as Error).constructor === Error;

const toIso = (ms: bigint, fraction: string) => {
  const iso = new Date(Number(ms)).toISOString();
  return fraction === '' ? iso : `${iso.slice(0, -1)}${fraction}Z`;
};
const finer = (value: bigint, digits: number) => {
  const unit = 10n ** BigInt(digits);
  const rest = ((value % unit) + unit) % unit;
  return toIso((value - rest) / unit, rest === 0n ? '' : String(rest).padStart(digits, '0'));
};

/** The null of a column of JSON, which is a value. */
const jsonNull = Symbol('null');

const parsers = {
  timestampFromMilliseconds: (value: bigint) => toIso(value, ''),
  timestampFromMicroseconds: (value: bigint) => finer(value, 3),
  timestampFromNanoseconds: (value: bigint) => finer(value, 6),
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
  stringFromBytes: (bytes: Uint8Array) => bytes && toText(bytes),
  jsonFromBytes: (bytes: Uint8Array) => bytes && (parseExact(toText(bytes)) ?? jsonNull),
};

const toText = (bytes: Uint8Array): string => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? buffer.toString('utf8') : buffer.toString('base64');
};

const toLine = (row: object, localTimes: ReadonlySet<string>): string => {
  // A null of Parquet says that the row has no such value.
  const set = Object.entries(row).filter(([, value]) => value !== null && value !== undefined);
  const values = set.map(([name, value]) => [
    name,
    localTimes.has(name) && typeof value === 'string' ? value.replace(/Z$/, '') : value,
  ]);
  const line = JSON.stringify(Object.fromEntries(values), replaceValues);
  if (line.length <= 2 * storedBytesMax) return line;
  const message = `A row has at most ${storedBytesMax} bytes (256 KB)`;
  return toProblemLine({ code: 'TOO_LARGE', message, text: line.slice(0, 200) });
};

/** What JSON has no form for. Whole numbers beyond 2^53 keep their digits. */
function replaceValues(_name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Uint8Array) return toText(value);
  return value === jsonNull || value === undefined ? null : value;
}
