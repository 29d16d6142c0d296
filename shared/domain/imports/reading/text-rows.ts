/**
 * The rows of CSV and of JSON Lines, as they come.
 *
 * Each row is one line of text, in the form in which chunks keep it: CSV as a JSON list of its cells, JSON Lines as it is, and
 * `!` before a problem where the row could not even be read. With it goes the place at which it ends, in bytes of the decoded
 * text, where a reader can begin again. Rows without content are skipped and not counted. Memory is bounded by the longest row:
 * a longer one is a problem in JSON Lines, and ends a file of CSV, where a quote that never closes looks like that.
 */

import { Parser } from 'csv-parse';
import { parseExact } from '../../../core/json/exact-json.ts';
import { findForbiddenMember, mayHaveForbiddenMember } from '../../../core/json/forbidden-members.ts';
import { dialect, isEmpty } from '../../records/csv/csv-dialect.ts';
import { ImportFailure, type Problem, type RawRow } from '../columns.ts';
import { columnsMax } from '../import.ts';
import type { TextPiece } from './file-text.ts';

export interface RowBatch {
  lines: string[];
  /** Where each row ends. */
  ends: number[];
}

/** Of a row as it is read; what is stored of it is limited to 256 KB. */
const rowBytesMax = 2_097_152;
const storedBytesMax = 262_144;

const problemMark = '!';
export const toProblemLine = (problem: Omit<Problem, 'column'>): string =>
  problemMark + JSON.stringify({ column: null, ...problem });

const tooLong = (text: string): string =>
  toProblemLine({
    code: 'TOO_LARGE',
    message: `A row has at most ${storedBytesMax} bytes (256 KB)`,
    text: text.slice(0, 200),
  });

/** The row of a line, or why there is none. */
export function parseLine(line: string): { row: RawRow } | { problem: Problem } {
  if (line.startsWith(problemMark)) return { problem: parseExact(line.slice(1)) as Problem };
  const problem = (code: string, message: string) => ({
    problem: { column: null, code, message, text: line.slice(0, 200) },
  });
  let row: unknown;
  try {
    row = parseExact(line);
  } catch {
    return problem('INVALID_JSON', 'The line is not JSON');
  }
  const forbidden = mayHaveForbiddenMember(line) ? findForbiddenMember(row) : undefined;
  if (forbidden === undefined) return { row: row as RawRow };
  return problem('FORBIDDEN_MEMBER', `No record may have a member ${forbidden}; rename it`);
}

function toProblemLineOf(code: string, message: string) {
  return (text: string) => toProblemLine({ code, message, text: text.slice(0, 200) });
}
const damaged = toProblemLineOf(
  'INVALID_BYTES',
  'The row has bytes that are not in the encoding of the file',
);

const [lf, cr] = [0x0a, 0x0d];
const pieceBytes = 65_536;

/** @param begin The place of the first byte of the pieces. */
export async function* readJsonLines(
  pieces: AsyncIterable<TextPiece>,
  begin: number,
): AsyncGenerator<RowBatch, void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let at = begin;
  let isSkipping = false;
  const endLine = (batch: RowBatch, isDamaged: boolean) => {
    const bytes = Buffer.concat(held);
    const text = (bytes.at(-1) === cr ? bytes.subarray(0, -1) : bytes).toString('utf8');
    [held, heldBytes] = [[], 0];
    if (!isSkipping && text.trim() === '') return;
    batch.lines.push(
      isSkipping ? tooLong(text) : isDamaged && text.includes('\uFFFD') ? damaged(text) : toJsonLine(text),
    );
    batch.ends.push(at);
    isSkipping = false;
  };
  for await (const { bytes, isDamaged } of pieces) {
    const batch: RowBatch = { lines: [], ends: [] };
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(lf, from);
      const to = newline === -1 ? bytes.length : newline;
      if (!isSkipping) held.push(bytes.subarray(from, to));
      heldBytes += to - from;
      if (heldBytes > rowBytesMax && !isSkipping) {
        isSkipping = true;
        held = [Buffer.concat(held).subarray(0, 800)];
      }
      at += (newline === -1 ? to : to + 1) - from;
      from = newline === -1 ? to : to + 1;
      if (newline !== -1) endLine(batch, isDamaged);
    }
    if (held.length > 0 && !isSkipping) held = [Buffer.from(Buffer.concat(held))];
    if (batch.lines.length > 0) yield batch;
  }
  const last: RowBatch = { lines: [], ends: [] };
  if (held.length > 0) endLine(last, true);
  if (last.lines.length > 0) yield last;
}

/** Only objects begin so. A line that could be taken for a problem or for CSV is one of no JSON object. */
const toJsonLine = (text: string): string =>
  text.trimStart().startsWith('{')
    ? text.trim()
    : toProblemLineOf('INVALID_JSON', 'The line is not a JSON object')(text);

export interface CsvStart {
  delimiter: string;
  /** Before which byte of the text there is no row of data. */
  begin: number;
}

/** @param skipRows Those above the data. */
export async function* readCsvRows(
  pieces: AsyncIterable<TextPiece>,
  { delimiter, begin }: CsvStart,
  skipRows = 0,
): AsyncGenerator<RowBatch, void> {
  let batch: RowBatch = { lines: [], ends: [] };
  let [end, left, isDamaged, unclosed] = [0, skipRows, false, false];
  const onRecord = (cells: string[], { bytes }: { bytes: number }): null => {
    end = bytes;
    // Makes each row the parser's first: otherwise a row of another width costs an error with a copy of the row.
    Object.assign(parser.info, { records: 0 });
    if (isEmpty(cells)) return null;
    if (left > 0) {
      left--;
      return null;
    }
    batch.lines.push(toCsvLine(cells, isDamaged));
    batch.ends.push(begin + bytes);
    return null;
  };
  const parser: Parser = new Parser({
    ...dialect,
    delimiter,
    on_record: onRecord as never,
    on_skip() {
      unclosed = true;
      return undefined;
    },
  });
  let failure: Error | undefined;
  parser.on('error', (error) => {
    failure ??= error;
  });
  parser.resume();
  let fed = 0;
  for await (const piece of pieces) {
    if (piece.bytes.includes(0)) throw new ImportFailure('NOT_CSV', 'The file contains binary data');
    isDamaged = piece.isDamaged;
    for (let from = 0; from < piece.bytes.length; from += pieceBytes) {
      const part = piece.bytes.subarray(from, from + pieceBytes);
      parser.write(part);
      fed += part.length;
      if (failure) throw failure;
      if (batch.lines.length > 0) yield batch;
      batch = { lines: [], ends: [] };
      if (fed - end > rowBytesMax) throw unclosedQuote();
    }
  }
  await endParser(parser);
  if (batch.lines.length > 0) yield batch;
  if (unclosed) throw unclosedQuote();
}

const endParser = (parser: Parser) =>
  new Promise<void>((resolve, reject) => {
    parser.once('end', resolve).once('error', reject);
    parser.end();
  });

const unclosedQuote = () =>
  new ImportFailure(
    'UNCLOSED_QUOTE',
    'A quote opens in the next row and never closes, or the row has more than 2 MB',
  );

function toCsvLine(cells: string[], isDamaged: boolean): string {
  if (cells.length > columnsMax + 2)
    return toProblemLine({
      code: 'CELL_COUNT',
      message: `The row has ${cells.length} cells`,
      text: cells.slice(0, 20).join(',').slice(0, 200),
    });
  const line = JSON.stringify(cells);
  if (isDamaged && line.includes('\uFFFD')) return damaged(line);
  return line.length > 2 * storedBytesMax ? tooLong(line) : line;
}
