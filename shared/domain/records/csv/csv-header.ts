import { invalidAt } from '../../../core/errors/errors.ts';
import { streamRows } from './parse-rows.ts';
import { type CsvColumns, hasColumns } from './row-to-record.ts';

/** The widest export: 5,000 keys, the name and the type. */
const columnsMax = 5_002;

const delimiters = [',', ';', '\t'];
const sampleRows = 20;

class TooWide extends Error {}

/** The first row below `rowsAbove` others; undefined if it has too many cells, which are then not all read. */
async function headerUnder(
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
export async function readCsvHeader(file: Buffer, delimiter: string, rowsAbove: number): Promise<string[]> {
  const header = await headerUnder(file, delimiter, rowsAbove);
  if (header) return header;
  throw invalidAt('file', 'TOO_MANY_COLUMNS', `A file has at most ${columnsMax} columns; this one has more`);
}

/** Prefers a header that has the requested columns, rows of the header's width, and many columns. */
export async function detectDelimiter(file: Buffer, columns: CsvColumns): Promise<string> {
  const scores = [];
  for (const delimiter of delimiters)
    scores.push({ delimiter, ...(await looksOf(file, delimiter, columns)) });
  const [best] = scores.toSorted(
    (a, b) => Number(b.found) - Number(a.found) || b.even - a.even || b.width - a.width,
  );
  return best?.delimiter ?? ',';
}

async function looksOf(file: Buffer, delimiter: string, columns: CsvColumns) {
  const header = await headerUnder(file, delimiter, 0);
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
