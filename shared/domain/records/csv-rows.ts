import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Parser } from 'csv-parse';

export interface CsvRow {
  /** The line on which the row begins, as an editor counts them. */
  line: number;
  cells: string[];
}

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

const pieceBytes = 16_384;

interface RowCallbacks {
  /** Told the line of a row whose quote never closes: it and all that follows it is not among the rows. */
  onUnclosed?: (line: number) => void;
  /** Told of each cell as it is read, by its place in the row and how many rows came before. May throw to end it. */
  onCell?: (place: number, rowsBefore: number) => void;
}

/** The rows, read as they are asked for. */
export async function* streamRows(
  file: Buffer,
  delimiter: string,
  { onUnclosed, onCell }: RowCallbacks = {},
): AsyncGenerator<CsvRow> {
  const beginOf = lineFinder(file);
  let rows = 0;
  const cast = (cell: string, { index }: { index: number }) => {
    onCell?.(index, rows);
    return cell;
  };
  const parser: Parser = new Parser({
    ...dialect,
    delimiter,
    ...(onCell && { cast }),
    // That a row may become something else is missing in the library's types.
    on_record: ((cells: string[], { bytes }: { bytes: number }): CsvRow | null => {
      const line = beginOf(bytes);
      // To the parser each row is the first: one that is not as wide costs it an error with a copy of the row.
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

/** Between two pieces others have their turn: reading a large file takes seconds. */
async function* piecesOf(file: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < file.length; start += pieceBytes) {
    yield file.subarray(start, start + pieceBytes);
    await setImmediate();
  }
}
