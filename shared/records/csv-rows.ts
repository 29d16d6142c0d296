import { Readable } from 'node:stream';
import { Parser } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { linesIn } from './csv-bytes.ts';

export interface CsvRow {
  /** The line on which the row begins, as an editor counts them. */
  line: number;
  cells: string[];
}

const delimiters = [',', ';', '\t'];
const sampleRows = 20;

/** The delimiter that the first line declares, as Excel understands it: `sep=;` and nothing else. */
export const declaredDelimiter = (file: Buffer): string | undefined =>
  /^"?sep=([,;\t])"?(?=[\r\n])/i.exec(file.toString('latin1', 0, 10))?.[1];

const dialect = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
};

/** A row that only holds delimiters is none. */
const isEmpty = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');

/** Looks at the cells of one row after the other, the header first, and keeps none. `onRow` may throw to end it. */
export function eachRow(file: Buffer, delimiter: string, onRow: (cells: string[]) => void, to = -1): void {
  parse(file, {
    ...dialect,
    delimiter,
    to,
    on_record(cells: string[]) {
      if (!isEmpty(cells)) onRow(cells);
      return null;
    },
  });
}

const pieceBytes = 16_384;

/**
 * The rows, read as they are asked for.
 * @param onUnclosed Told the line of a row whose quote never closes: it and all that follows it is not among the rows.
 */
export async function* streamRows(
  file: Buffer,
  delimiter: string,
  onUnclosed: (line: number) => void,
): AsyncGenerator<CsvRow> {
  let nextLine = 1;
  /** The parser's own count is off after a quoted CRLF; what it read of a row includes the empty lines before it. */
  const beginOf = (raw = '') => {
    const line = nextLine + linesIn(/^[\r\n]*/.exec(raw)?.[0] ?? '');
    nextLine += linesIn(raw);
    return line;
  };
  const parser = new Parser({
    ...dialect,
    delimiter,
    raw: true,
    // What `raw` adds, and that a row may become something else, is missing in the library's types.
    on_record: (({ record: cells, raw }: { record: string[]; raw: string }): CsvRow | null => {
      const line = beginOf(raw);
      return isEmpty(cells) ? null : { line, cells };
    }) as never,
    on_skip(_error, raw) {
      onUnclosed(beginOf(raw));
      return undefined;
    },
  });
  yield* Readable.from(piecesOf(file)).compose(parser) as AsyncIterable<CsvRow>;
}

function* piecesOf(file: Buffer): Generator<Buffer> {
  for (let start = 0; start < file.length; start += pieceBytes)
    yield file.subarray(start, start + pieceBytes);
}

/**
 * The delimiter under which the file looks most like a table: the header holds the columns that are asked for,
 * the rows are as wide as it, and it is wide.
 */
export function detectDelimiter(file: Buffer, hasColumns: (header: readonly string[]) => boolean): string {
  const scores = delimiters.map((delimiter) => {
    const sample: string[][] = [];
    eachRow(file, delimiter, (cells) => sample.push(cells), sampleRows);
    const [header = [], ...rows] = sample;
    const width = header.length;
    const even = rows.filter(({ length }) => length === width).length / Math.max(1, rows.length);
    return { delimiter, found: hasColumns(header), even: width > 1 ? even : 0, width };
  });
  const [best] = scores.toSorted(
    (a, b) => Number(b.found) - Number(a.found) || b.even - a.even || b.width - a.width,
  );
  return best?.delimiter ?? ',';
}
