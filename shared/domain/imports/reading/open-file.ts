/**
 * Opens a file of an import: finds out what it is, and reads its rows from any place, for the look at its first rows, for the
 * cutting into chunks, and for going on after a crash.
 *
 * `lookAt` reads the beginning and decides all that the rest depends on (format, encoding, delimiter, header): the `FileForm`,
 * which is stored and is all that `readRows` needs, with a place. A file that is another format than it says is refused with
 * what it is.
 */

import { readDelimiter } from '../../records/csv/csv-dialect.ts';
import { detectDelimiter, readHeaderRow } from '../../records/csv/parse-csv.ts';
import { ImportFailure } from '../columns.ts';
import { columnsMax, type ImportFormat, type ImportSettings } from '../import.ts';
import { type OpenedText, openText, reopenText, type TextPiece } from './file-text.ts';
import { parseLine, type RowBatch, readCsvRows, readJsonLines } from './text-rows.ts';

/** A file whose bytes can be read from a place on; one of a URL from the beginning only. */
export interface SourceFile {
  bytes: number | undefined;
  stream: (from: number) => AsyncIterable<Uint8Array>;
  readSlice: ((from: number, to: number) => Promise<Buffer>) | undefined;
}

export interface FileForm {
  format: ImportFormat;
  encoding: string;
  delimiter: string;
  /** The cells of the first line of CSV. */
  header: string[] | null;
  /** Rows above the data. */
  rowsAbove: number;
  /** Bytes of the file are bytes of its text, after so many; null if it is unpacked or decoded. */
  textFrom: number | null;
}

/** @throws ImportFailure */
export async function lookAt(file: SourceFile, settings: ImportSettings): Promise<FileForm> {
  const begin = await readBegin(file);
  if (begin.toString('latin1', 0, 4) === 'PAR1') {
    assertFormat(settings.format, 'parquet', 'a Parquet file');
    return { ...textless, format: 'parquet' };
  }
  if (
    settings.format === 'parquet' ||
    (settings.format === undefined && /\.parquet$/i.test(nameOf(settings)))
  )
    throw new ImportFailure('WRONG_FORMAT', 'The file is not a Parquet file: it does not begin with PAR1');
  const text = await openText(file.stream(0), {
    encoding: settings.csv?.encoding,
    isCsv: settings.format !== 'jsonl',
  });
  const isPacked = begin[0] === 0x1f;
  const bomBytes = begin[0] === 0xef && begin[1] === 0xbb ? 3 : 0;
  const textFrom = isPacked || text.encoding !== 'utf-8' ? null : bomBytes;
  const format = findFormat(text.sample, settings);
  if (format === 'jsonl') return { ...textless, format, encoding: text.encoding, textFrom };
  return { ...(await readCsvForm(text, settings)), format, encoding: text.encoding, textFrom };
}

const textless = { encoding: 'utf-8', delimiter: '', header: null, rowsAbove: 0, textFrom: 0 };

async function readBegin({ stream }: SourceFile): Promise<Buffer> {
  for await (const piece of stream(0)) if (piece.length > 0) return Buffer.from(piece.subarray(0, 8));
  throw new ImportFailure('NO_ROWS', 'The file is empty');
}

function assertFormat(asked: ImportFormat | undefined, found: ImportFormat, what: string): void {
  if (asked !== undefined && asked !== found)
    throw new ImportFailure('WRONG_FORMAT', `The file is ${what}, not ${asked}`);
}

const nameOf = ({ source }: Pick<ImportSettings, 'source'>): string =>
  'upload' in source ? source.upload.fileName : new URL(source.url).pathname;

function findFormat(sample: Buffer, { format, source }: ImportSettings): 'csv' | 'jsonl' {
  const isJson = looksLikeJsonLines(sample);
  if (sample.toString('utf8', 0, 100).trimStart().startsWith('[') && isList(sample))
    throw new ImportFailure(
      'WRONG_FORMAT',
      'The file is one JSON list. JSON Lines has an object in each line',
    );
  if (format === undefined) {
    return isJson || /\.(?:jsonl|ndjson|json)(?:\.gz)?$/i.test(nameOf({ source })) ? 'jsonl' : 'csv';
  }
  if (format === 'csv' && isJson) throw new ImportFailure('WRONG_FORMAT', 'The file is JSON Lines, not csv');
  if (format === 'jsonl' && !isJson && !sample.toString('utf8', 0, 100).trimStart().startsWith('{'))
    throw new ImportFailure(
      'WRONG_FORMAT',
      'The file is not JSON Lines: its first line is not a JSON object',
    );
  return format as 'csv' | 'jsonl';
}

const isList = (sample: Buffer): boolean => {
  const begin = sample.toString('utf8', 0, 4_000).trimStart();
  return /^\[\s*(?:\{|$|\])/.test(begin);
};

const looksLikeJsonLines = (sample: Buffer): boolean => {
  const begin = sample.toString('utf8', 0, 100_000).trimStart();
  if (!begin.startsWith('{')) return false;
  const [first = ''] = begin.split('\n', 1);
  return 'row' in parseLine(first.trim()) || (first.length === begin.length && sample.length > 100_000);
};

async function readCsvForm({ sample }: OpenedText, { csv, nameColumn, typeColumn, type }: ImportSettings) {
  const declared = readDelimiter(sample.toString('latin1', 0, 10));
  const columns = { nameColumn, typeColumn, typeValue: type };
  const delimiter = csv?.delimiter ?? declared ?? (await detectDelimiter(sample, columns));
  const above = declared ? 1 : 0;
  const first = await readHeaderRow(sample, delimiter, above);
  if (!first)
    throw new ImportFailure(
      'TOO_MANY_COLUMNS',
      `A file has at most ${columnsMax + 2} columns; this one has more`,
    );
  if (first.length === 0) throw new ImportFailure('NO_ROWS', 'The file has no rows');
  const hasHeader = csv?.header ?? true;
  return {
    delimiter,
    header: hasHeader ? first : first.map((_, index) => `column_${index + 1}`),
    rowsAbove: above + (hasHeader ? 1 : 0),
  };
}

/** @param position Where an earlier row ended, or 0. @throws ImportFailure, also in the middle of the rows */
export async function* readRows(
  file: SourceFile,
  form: FileForm,
  position: number,
): AsyncGenerator<RowBatch, void> {
  if (form.format === 'parquet') {
    const { bytes, readSlice } = file;
    if (bytes === undefined || !readSlice)
      throw new ImportFailure('NOT_SUPPORTED', 'A Parquet file is read from an upload, not from a URL');
    const { readParquetRows } = await import('./parquet-rows.ts');
    yield* readParquetRows({ bytes, readSlice }, position);
    return;
  }
  const pieces = textFrom(file, form, position);
  if (form.format === 'jsonl') yield* readJsonLines(pieces, position);
  else
    yield* readCsvRows(
      pieces,
      { delimiter: form.delimiter, begin: position },
      position === 0 ? form.rowsAbove : 0,
    );
}

function textFrom(
  file: SourceFile,
  { encoding, textFrom }: FileForm,
  position: number,
): AsyncIterable<TextPiece> {
  if (position === 0) return reopenText(file.stream(0), encoding);
  if (textFrom !== null && file.readSlice) return reopenText(file.stream(textFrom + position), encoding);
  return dropBytes(reopenText(file.stream(0), encoding), position);
}

async function* dropBytes(pieces: AsyncIterable<TextPiece>, count: number): AsyncGenerator<TextPiece, void> {
  let left = count;
  for await (const { bytes, isDamaged } of pieces) {
    const dropped = Math.min(left, bytes.length);
    left -= dropped;
    if (dropped < bytes.length) yield { bytes: bytes.subarray(dropped), isDamaged };
  }
}
