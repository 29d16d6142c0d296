/**
 * Reads an uploaded CSV file row by row into drafts of records, with the errors and warnings of its rows by their lines.
 *
 * The whole file is checked first: its encoding (by its mark, its name, or its bytes), its delimiter, its header and its size,
 * so that a file that cannot be read stores nothing. Then rows are parsed as the caller takes them, and the event loop gets
 * its turn in between. A row with an error is reported and skipped; only an unclosed quote ends the file.
 * `functions/records/upload-csv.ts` stores the drafts; the columns are read in `row-to-record.ts`.
 */

import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Parser } from 'csv-parse';
import { invalidAt, tooLarge } from '../../../core/errors/errors.ts';
import {
  countLetters,
  type DecodedText,
  decodeAs,
  decodeUnnamed,
  detectMark,
  encodingExamples,
  otherReadings,
  replacementCharacter,
  resolveEncoding,
} from '../../../core/text-encoding.ts';
import { countJsonBytes, type RecordDraft } from '../record.ts';
import { dialect, isEmpty, readDelimiter } from './csv-dialect.ts';
import { type CsvColumns, createRowReader, hasColumns } from './row-to-record.ts';

const csvRowsMax = 10_000;
/** Column names repeat in every record, so a small file may contain large records. */
const metadataBytesMax = 64_000_000;

export type CsvDraft = RecordDraft & { line: number };

export interface RowError {
  line: number;
  message: string;
}

/** Of a row that becomes a record, or, as line 0, of the file. */
export interface CsvWarning extends RowError {
  isWarning: true;
}

export type CsvEntry = CsvDraft | RowError | CsvWarning;
export const isDraft = (entry: CsvEntry): entry is CsvDraft => 'name' in entry;
export const isWarning = (entry: CsvEntry): entry is CsvWarning => 'isWarning' in entry;

/** Row by row: few records are in memory. Checks the whole file first. @throws ServiceError 400 or 413. */
export async function readCsv(
  bytes: Uint8Array,
  columns: CsvColumns,
  encoding?: string,
): Promise<AsyncGenerator<CsvEntry>> {
  const decoded = toUtf8(bytes, encoding);
  const { file } = decoded;
  const declared = readDelimiter(file.toString('latin1', 0, 10));
  const delimiter = declared ?? (await detectDelimiter(file, columns));
  const rowsAbove = declared ? 1 : 0;
  const header = await readCsvHeader(file, delimiter, rowsAbove);
  assertHeaderIsWhole(header, decoded);
  const { count, unclosedAt } = await lookThrough(file, delimiter, rowsAbove);
  if (count < 1) throw createNoRowsError('The file is empty', unclosedAt);
  const read = createRowReader(header, columns);
  if (count === 1) throw createNoRowsError('The file has no rows below its header', unclosedAt);
  return readEntries(decoded, delimiter, rowsAbove + 1, read);
}

/** A wrong name would be in every record. */
function assertHeaderIsWhole(header: readonly string[], { encoding, isDamaged }: CsvBytes): void {
  const damaged = isDamaged && header.find((name) => name.includes(replacementCharacter));
  if (!damaged) return;
  const message = `The name of the column "${damaged}" contains bytes that are not ${encoding}. Correct it, or name the encoding in \`encoding\``;
  throw invalidAt('file', 'UNKNOWN_ENCODING', message);
}

const createNoRowsError = (message: string, unclosedAt: number | undefined) =>
  unclosedAt === undefined
    ? invalidAt('file', 'NO_ROWS', message)
    : invalidAt('file', 'UNCLOSED_QUOTE', `Line ${unclosedAt}: ${unclosed}`);

const splitAdvice =
  'split the file and upload its parts one after another, or send it to /v1/imports, which takes files of any size';
const unclosed = 'a quote opens in this row and never closes; the rest of the file was not read';

/** Reads the whole file once, to reject a file that is too large before storing anything. */
async function lookThrough(file: Buffer, delimiter: string, rowsAbove: number) {
  let count = -rowsAbove;
  let nameBytes: number[] = [];
  let metadataBytes = 0;
  let unclosedAt: number | undefined;
  const onUnclosed = (line: number) => {
    unclosedAt = line;
  };
  for await (const { cells } of streamRows(file, delimiter, { onUnclosed })) {
    count++;
    if (count === 1) nameBytes = cells.map(countJsonBytes);
    else if (count > 1) {
      if (count > csvRowsMax + 1) throw tooLarge(`A call takes at most ${csvRowsMax} rows: ${splitAdvice}`);
      for (const [place, cell] of cells.entries())
        if (cell) metadataBytes += cell.length + (nameBytes[place] ?? 0);
      if (metadataBytes > metadataBytesMax)
        throw tooLarge(`The records are too large together: ${splitAdvice}`);
    }
  }
  return { count, unclosedAt };
}

async function* readEntries(
  { file, ...decoded }: CsvBytes,
  delimiter: string,
  rowsAbove: number,
  read: (cells: readonly string[]) => RecordDraft | string,
): AsyncGenerator<CsvEntry> {
  const lines = new Map<string, number>();
  let unclosedAt: number | undefined;
  let count = 0;
  const onUnclosed = (line: number) => {
    unclosedAt = line;
  };
  if (decoded.isGuess) yield { line: 0, message: warnGuess(decoded.encoding), isWarning: true };
  for await (const { line, cells } of streamRows(file, delimiter, { onUnclosed })) {
    if (count++ < rowsAbove) continue;
    const draft = checkNames(read(cells), decoded);
    if (typeof draft === 'string') {
      yield { line, message: draft };
      continue;
    }
    const pair = `${draft.type}\0${draft.name}`;
    const earlier = lines.get(pair);
    if (earlier === undefined) lines.set(pair, line);
    const message = decoded.isDamaged && earlier === undefined && damage(draft, decoded.encoding);
    if (message) yield { line, message, isWarning: true };
    yield earlier === undefined
      ? { ...draft, line }
      : { line, message: `the same type and name as in line ${earlier}` };
  }
  if (unclosedAt !== undefined) yield { line: unclosedAt, message: unclosed };
}

const warnGuess = (encoding: string) =>
  `The file is not in UTF-8 and was read as ${encoding}: compare its letters beyond ASCII, or name the file's encoding in \`encoding\``;

/** A record is found by its type and name, so they are not stored with a part missing. */
const checkNames = (draft: RecordDraft | string, { isDamaged, encoding }: Omit<CsvBytes, 'file'>) =>
  isDamaged && typeof draft !== 'string' && `${draft.type}${draft.name}`.includes(replacementCharacter)
    ? `the name or the type contains bytes that are not ${encoding}`
    : draft;

function damage({ metadata }: RecordDraft, encoding: string): string | undefined {
  const keys = Object.keys(metadata ?? {}).filter((key) =>
    String(metadata?.[key]).includes(replacementCharacter),
  );
  if (keys.length === 0) return undefined;
  return `bytes that are not ${encoding} were replaced by ${replacementCharacter} in ${keys.map((key) => `"${key}"`).join(', ')}`;
}

interface CsvRow {
  /** The line on which the row begins, as editors count lines. */
  line: number;
  cells: string[];
}

const chunkBytes = 16_384;

interface RowCallbacks {
  /** Receives the line of a row with an unclosed quote. That row and all later ones are not returned. */
  onUnclosed?: (line: number) => void;
  /** Receives each cell's position in its row and the number of earlier rows. May throw to stop. */
  onCell?: (place: number, rowsBefore: number) => void;
}

/** Yields the rows as the caller reads them. */
export async function* streamRows(
  file: Buffer,
  delimiter: string,
  { onUnclosed, onCell }: RowCallbacks = {},
): AsyncGenerator<CsvRow> {
  const beginOf = createLineFinder(file);
  let rows = 0;
  const cast = (cell: string, { index }: { index: number }) => {
    onCell?.(index, rows);
    return cell;
  };
  const parser: Parser = new Parser({
    ...dialect,
    delimiter,
    ...(onCell && { cast }),
    // The library's types do not know that on_record may return other values.
    on_record: ((cells: string[], { bytes }: { bytes: number }): CsvRow | null => {
      const line = beginOf(bytes);
      // Makes each row the parser's first: otherwise a row of another width costs an error with a copy of the row.
      Object.assign(parser.info, { records: 0 });
      if (isEmpty(cells)) return null;
      rows++;
      return { line, cells };
    }) as never,
    on_skip() {
      onUnclosed?.(beginOf(file.length));
      return undefined;
    },
  });
  // Not compose(): left while its last rows are waiting, it throws an error that ends the process.
  yield* Readable.from(splitChunks(file)).pipe(parser) as AsyncIterable<CsvRow>;
}

const [lf, cr] = [0x0a, 0x0d];

/** Maps the end of each row to the line on which it begins, as editors count lines. */
function createLineFinder(file: Buffer) {
  let line = 1;
  let at = 0;
  const pass = () => {
    if (file[at] === lf || (file[at] === cr && file[at + 1] !== lf)) line++;
    at++;
  };
  return (end: number): number => {
    while (file[at] === lf || file[at] === cr) pass();
    const begin = line;
    while (at < end) pass();
    return begin;
  };
}

/** Yields to the event loop between two pieces: reading a large file takes seconds. */
async function* splitChunks(file: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < file.length; start += chunkBytes) {
    yield file.subarray(start, start + chunkBytes);
    await setImmediate();
  }
}

interface CsvBytes extends Omit<DecodedText, 'text'> {
  /** In UTF-8, without a byte order mark. */
  file: Buffer;
}

/**
 * Reads the encoding that the byte order mark says, else the named one, else the one that the bytes show.
 * @throws 400 if that is no encoding, or none is certain enough
 */
export function toUtf8(bytes: Uint8Array, named: string | undefined): CsvBytes {
  const mark = detectMark(bytes);
  if (mark?.startsWith('utf-16') && bytes.length % 2 !== 0)
    throw createEncodingError(
      `It begins as ${mark} and ends in the middle of a letter. Upload the whole file`,
    );
  const encoding = mark ?? parseEncoding(named);
  if (encoding === undefined || encoding === 'utf-8') {
    const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const file = mark ? content.subarray(3) : content;
    if (file.includes(0)) throw createBinaryError();
    if (isUtf8(file) && !file.includes(0x1b))
      return { file, encoding: 'utf-8', isGuess: false, isDamaged: false };
  }
  const decoded = encoding === undefined ? decodeUnnamed(bytes) : decodeAs(bytes, encoding);
  if (!decoded) throw createUncertainError(bytes);
  const { text, ...rest } = decoded;
  if (mark) assertIsMost(mark, text);
  if (text.includes('\0')) throw createBinaryError();
  return { file: Buffer.from(text), ...rest };
}

function parseEncoding(named: string | undefined): string | undefined {
  if (named === undefined) return undefined;
  const encoding = resolveEncoding(named);
  if (encoding !== undefined) return encoding;
  const message = `"${named}" is no encoding. Such are ${encodingExamples}`;
  throw invalidAt('encoding', 'INVALID_VALUE', message);
}

/** Programs put the mark of UTF-8 before other texts. */
function assertIsMost(mark: string, text: string): void {
  const { wellFormed, malformed } = countLetters(text);
  if (malformed > wellFormed)
    throw createEncodingError(`It begins as ${mark} but contains invalid bytes. Save it as UTF-8`);
}

function createUncertainError(bytes: Uint8Array) {
  const { line, readings } = otherReadings(bytes);
  const others = readings.length > 0 ? `: it reads as ${readings.join(', ')}` : '';
  return createEncodingError(
    `Line ${line} contains invalid bytes for UTF-8 and is not certainly in Windows-1252${others}. Save the file as UTF-8, or name its \`encoding\``,
  );
}

const createEncodingError = (reason: string) =>
  invalidAt('file', 'UNKNOWN_ENCODING', `The encoding of the file is not known. ${reason}`);

const createBinaryError = () =>
  invalidAt('file', 'NOT_CSV', 'The file is not a CSV file: it contains binary data');

/** The widest export: 5,000 keys, the name and the type. */
const columnsMax = 5_002;

const delimiters = [',', ';', '\t'];
const sampleRows = 20;

class TooWide extends Error {}

/** The first row below `rowsAbove` others; undefined if it has too many cells, which are then not all read. */
export async function readHeaderRow(
  file: Buffer,
  delimiter: string,
  rowsAbove: number,
): Promise<string[] | undefined> {
  const onCell = (place: number, rowsBefore: number) => {
    if (place >= columnsMax && rowsBefore <= rowsAbove) throw new TooWide();
  };
  let row = 0;
  try {
    for await (const { cells } of streamRows(file, delimiter, { onCell }))
      if (row++ === rowsAbove) return cells;
  } catch (error) {
    if (error instanceof TooWide) return undefined;
    throw error;
  }
  return [];
}

/** Reads the header before any row below it. @throws ServiceError 400 if it has too many columns. */
async function readCsvHeader(file: Buffer, delimiter: string, rowsAbove: number): Promise<string[]> {
  const header = await readHeaderRow(file, delimiter, rowsAbove);
  if (header) return header;
  throw invalidAt('file', 'TOO_MANY_COLUMNS', `A file has at most ${columnsMax} columns; this one has more`);
}

/** Prefers a header that has the requested columns, rows of the header's width, and many columns. */
export async function detectDelimiter(file: Buffer, columns: CsvColumns): Promise<string> {
  const scores = [];
  for (const delimiter of delimiters)
    scores.push({ delimiter, ...(await rateDelimiter(file, delimiter, columns)) });
  const [best] = scores.toSorted(
    (a, b) => Number(b.found) - Number(a.found) || b.even - a.even || b.width - a.width,
  );
  return best?.delimiter ?? ',';
}

async function rateDelimiter(file: Buffer, delimiter: string, columns: CsvColumns) {
  const header = await readHeaderRow(file, delimiter, 0);
  if (!header) return { found: false, even: 0, width: Number.POSITIVE_INFINITY };
  const width = header.length;
  let [rows, asWide] = [-1, 0];
  for await (const { cells } of streamRows(file, delimiter)) {
    if (++rows > 0 && cells.length === width) asWide++;
    if (rows === sampleRows - 1) break;
  }
  const even = asWide / Math.max(1, rows);
  return { found: hasColumns(header, columns), even: width > 1 ? even : 0, width };
}
