import { invalidAt, tooLarge } from '../../../core/errors/errors.ts';
import { jsonBytes } from '../limits.ts';
import type { RecordDraft } from '../new-record.ts';
import { toUtf8 } from './csv-bytes.ts';
import { declaredDelimiter } from './csv-dialect.ts';
import { detectDelimiter, readCsvHeader } from './csv-header.ts';
import { streamRows } from './parse-rows.ts';
import { type CsvColumns, rowReader } from './row-to-record.ts';

const csvRowsMax = 10_000;
/** Column names repeat in every record, so a small file may contain large records. */
const metadataBytesMax = 64_000_000;

export type CsvDraft = RecordDraft & { line: number };

export interface RowError {
  line: number;
  message: string;
}

export type CsvEntry = CsvDraft | RowError;
export const isDraft = (entry: CsvEntry): entry is CsvDraft => 'name' in entry;

/** Row by row: few records are in memory. Checks the whole file first. @throws ServiceError 400 or 413. */
export async function readCsv(bytes: Uint8Array, columns: CsvColumns): Promise<AsyncGenerator<CsvEntry>> {
  const file = toUtf8(bytes);
  const declared = declaredDelimiter(file.toString('latin1', 0, 10));
  const delimiter = declared ?? (await detectDelimiter(file, columns));
  const rowsAbove = declared ? 1 : 0;
  const header = await readCsvHeader(file, delimiter, rowsAbove);
  const { count, unclosedAt } = await lookThrough(file, delimiter, rowsAbove);
  if (count < 1) throw noRows('The file is empty', unclosedAt);
  const read = rowReader(header, columns);
  if (count === 1) throw noRows('The file has no rows below its header', unclosedAt);
  return entriesOf(file, delimiter, rowsAbove + 1, read);
}

const noRows = (message: string, unclosedAt: number | undefined) =>
  unclosedAt === undefined
    ? invalidAt('file', 'NO_ROWS', message)
    : invalidAt('file', 'UNCLOSED_QUOTE', `Line ${unclosedAt}: ${unclosed}`);

const splitAdvice = 'split the file and upload its parts one after another';
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
    if (count === 1) nameBytes = cells.map(jsonBytes);
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

async function* entriesOf(
  file: Buffer,
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
  for await (const { line, cells } of streamRows(file, delimiter, { onUnclosed })) {
    if (count++ < rowsAbove) continue;
    const draft = read(cells);
    if (typeof draft === 'string') {
      yield { line, message: draft };
      continue;
    }
    const pair = `${draft.type}\0${draft.name}`;
    const earlier = lines.get(pair);
    if (earlier === undefined) lines.set(pair, line);
    yield earlier === undefined
      ? { ...draft, line }
      : { line, message: `the same type and name as in line ${earlier}` };
  }
  if (unclosedAt !== undefined) yield { line: unclosedAt, message: unclosed };
}
