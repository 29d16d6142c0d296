import { invalidAt, tooLarge } from '../../../core/errors/errors.ts';
import { replacementCharacter } from '../../../core/text-encoding.ts';
import { jsonBytes, type RecordDraft } from '../record.ts';
import { type CsvBytes, toUtf8 } from './csv-bytes.ts';
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
  const declared = declaredDelimiter(file.toString('latin1', 0, 10));
  const delimiter = declared ?? (await detectDelimiter(file, columns));
  const rowsAbove = declared ? 1 : 0;
  const header = await readCsvHeader(file, delimiter, rowsAbove);
  assertHeaderIsWhole(header, decoded);
  const { count, unclosedAt } = await lookThrough(file, delimiter, rowsAbove);
  if (count < 1) throw noRows('The file is empty', unclosedAt);
  const read = rowReader(header, columns);
  if (count === 1) throw noRows('The file has no rows below its header', unclosedAt);
  return entriesOf(decoded, delimiter, rowsAbove + 1, read);
}

/** A wrong name would be in every record. */
function assertHeaderIsWhole(header: readonly string[], { encoding, isDamaged }: CsvBytes): void {
  const damaged = isDamaged && header.find((name) => name.includes(replacementCharacter));
  if (!damaged) return;
  const message = `The name of the column "${damaged}" contains bytes that are not ${encoding}. Correct it, or name the encoding in \`encoding\``;
  throw invalidAt('file', 'UNKNOWN_ENCODING', message);
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
  if (decoded.isGuess) yield { line: 0, message: guessed(decoded.encoding), isWarning: true };
  for await (const { line, cells } of streamRows(file, delimiter, { onUnclosed })) {
    if (count++ < rowsAbove) continue;
    const draft = wholeNamed(read(cells), decoded);
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

const guessed = (encoding: string) =>
  `The file is not in UTF-8 and was read as ${encoding}: compare its letters beyond ASCII, or name the file's encoding in \`encoding\``;

/** A record is found by its type and name, so they are not stored with a part missing. */
const wholeNamed = (draft: RecordDraft | string, { isDamaged, encoding }: Omit<CsvBytes, 'file'>) =>
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
