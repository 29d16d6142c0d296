import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Parser } from 'csv-parse';
import { dialect, isEmpty } from './csv-dialect.ts';

export interface CsvRow {
  /** The line on which the row begins, as editors count lines. */
  line: number;
  cells: string[];
}

const pieceBytes = 16_384;

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
  yield* Readable.from(piecesOf(file)).pipe(parser) as AsyncIterable<CsvRow>;
}

const [lf, cr] = [0x0a, 0x0d];

/** Maps the end of each row to the line on which it begins, as editors count lines. */
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

/** Yields to the event loop between two pieces: reading a large file takes seconds. */
async function* piecesOf(file: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < file.length; start += pieceBytes) {
    yield file.subarray(start, start + pieceBytes);
    await setImmediate();
  }
}
