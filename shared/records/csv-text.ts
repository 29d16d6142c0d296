import { parse } from 'csv-parse/sync';
import { invalidAt } from '../http/errors.ts';

export interface CsvRow {
  /** The line on which the row begins, as an editor counts them. */
  line: number;
  cells: string[];
}

export interface CsvRows {
  rows: CsvRow[];
  /** The line of a row whose quote never closes: it and all that follows it is not among the rows. */
  unclosedAt?: number;
}

const delimiters = [',', ';', '\t'];
const sampleRows = 20;

/** The text of a file in UTF-8, Windows-1252, or UTF-16 with its mark. */
export function decodeText(bytes: Uint8Array): string {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  if (text.includes('\0'))
    throw invalidAt('file', 'NOT_CSV', 'The file is not a CSV file: it holds binary data');
  return text;
}

function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The rows with something in them, the header first. `onRow` may throw to end it. */
export function readRows(text: string, delimiter: string, onRow = (_count: number) => {}, to = -1): CsvRows {
  const rows: CsvRow[] = [];
  let nextLine = 1;
  let unclosedAt: number | undefined;
  /** The parser's own count is off after a quoted CRLF; what it read of a row includes the empty lines before it. */
  const beginOf = (raw = '') => {
    const line = nextLine + linesIn(/^[\r\n]*/.exec(raw)?.[0] ?? '');
    nextLine += linesIn(raw);
    return line;
  };
  parse(text, {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    raw: true,
    to,
    on_record(row) {
      // What `raw` adds is missing in the library's types.
      const { record: cells, raw } = row as unknown as { record: string[]; raw: string };
      const line = beginOf(raw);
      if (cells.length === 1 && cells[0]?.trim() === '') return null;
      rows.push({ line, cells });
      onRow(rows.length);
      return null;
    },
    skip_records_with_error: true,
    on_skip(_error, raw) {
      unclosedAt = beginOf(raw);
      return undefined;
    },
  });
  return { rows, ...(unclosedAt !== undefined && { unclosedAt }) };
}

const linesIn = (text: string) => text.match(/\r\n|\r|\n/g)?.length ?? 0;

/**
 * The delimiter under which the file looks most like a table: the header holds the columns that are asked for,
 * the rows are as wide as it, and it is wide.
 */
export function detectDelimiter(text: string, hasColumns: (header: readonly string[]) => boolean): string {
  const scores = delimiters.map((delimiter) => {
    const [header, ...rows] = readRows(text, delimiter, undefined, sampleRows).rows;
    const width = header?.cells.length ?? 0;
    const even = rows.filter(({ cells }) => cells.length === width).length / Math.max(1, rows.length);
    return { delimiter, found: hasColumns(header?.cells ?? []), even: width > 1 ? even : 0, width };
  });
  const [best] = scores.toSorted(
    (a, b) => Number(b.found) - Number(a.found) || b.even - a.even || b.width - a.width,
  );
  return best?.delimiter ?? ',';
}
