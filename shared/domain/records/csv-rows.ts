import { Readable } from 'node:stream';
import { Parser } from 'csv-parse';
import { parse } from 'csv-parse/sync';

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
  const beginOf = lineFinder(file);
  const parser = new Parser({
    ...dialect,
    delimiter,
    // That a row may become something else is missing in the library's types.
    on_record: ((cells: string[], { bytes }: { bytes: number }): CsvRow | null => {
      const line = beginOf(bytes);
      return isEmpty(cells) ? null : { line, cells };
    }) as never,
    on_skip() {
      onUnclosed(beginOf(file.length));
      return undefined;
    },
  });
  yield* Readable.from(piecesOf(file)).compose(parser) as AsyncIterable<CsvRow>;
}

const [lf, cr] = [0x0a, 0x0d];

/** Tells of one row after the other on which line it begins, as an editor counts them, given where it ends. */
function lineFinder(file: Buffer) {
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
