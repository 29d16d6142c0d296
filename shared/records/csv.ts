import { invalidAt, tooLarge } from '../http/errors.ts';
import { type CsvColumns, hasColumns, rowReader } from './csv-columns.ts';
import { type CsvRow, decodeText, detectDelimiter, readRows } from './csv-text.ts';
import { jsonBytes } from './limits.ts';
import type { RecordDraft } from './new-record.ts';

export const csvRowsMax = 10_000;
/** Column names repeat in every record, so a small file may hold large ones. */
const metadataBytesMax = 64_000_000;

export type CsvDraft = RecordDraft & { line: number };

/** A row that makes no record. */
export interface RowError {
  line: number;
  message: string;
}

export interface CsvContent {
  drafts: CsvDraft[];
  errors: RowError[];
}

/** The records that a file holds, and what is wrong with the rows that make none. @throws ApiError 400 or 413. */
export function parseCsv(bytes: Uint8Array, columns: CsvColumns): CsvContent {
  const text = decodeText(bytes);
  const delimiter = detectDelimiter(text, (header) => hasColumns(header, columns));
  const { rows, unclosedAt } = readRows(text, delimiter, (count) => {
    if (count > csvRowsMax + 1) throw tooLarge(`A call takes ${csvRowsMax} rows at most: ${splitAdvice}`);
  });
  const [header, ...body] = rows;
  if (!header) throw invalidAt('file', 'NO_ROWS', 'The file is empty');
  const read = rowReader(header.cells, columns);
  if (body.length === 0) throw invalidAt('file', 'NO_ROWS', 'The file has no rows below its header');
  const content = recordsOf(body, read);
  if (unclosedAt !== undefined) {
    const message = 'a quote opens in this row and never closes; the file was not read from here on';
    content.errors.push({ line: unclosedAt, message });
  }
  return content;
}

const splitAdvice = 'split the file and upload its parts one after another';

function recordsOf(
  rows: readonly CsvRow[],
  read: (cells: readonly string[]) => RecordDraft | string,
): CsvContent {
  const content: CsvContent = { drafts: [], errors: [] };
  const lines = new Map<string, number>();
  let metadataBytes = 0;
  for (const { line, cells } of rows) {
    const draft = read(cells);
    if (typeof draft === 'string') {
      content.errors.push({ line, message: draft });
      continue;
    }
    const pair = `${draft.type}\0${draft.name}`;
    const earlier = lines.get(pair);
    if (earlier !== undefined) {
      content.errors.push({ line, message: `the same type and name as in line ${earlier}` });
      continue;
    }
    lines.set(pair, line);
    metadataBytes += jsonBytes(draft.metadata);
    if (metadataBytes > metadataBytesMax)
      throw tooLarge(`The records are too large together: ${splitAdvice}`);
    content.drafts.push({ ...draft, line });
  }
  return content;
}
