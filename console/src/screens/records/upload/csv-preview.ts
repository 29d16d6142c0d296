import { parse } from 'csv-parse/browser/esm/sync';
import { decodeAs, decodeUnnamed, detectMark } from '../../../../../shared/core/text-encoding.ts';
import { dialect, isEmpty, readDelimiter } from '../../../../../shared/domain/records/csv/csv-dialect.ts';
import { uploadTexts } from '../../../texts/upload.ts';

export interface CsvPreview {
  header: string[];
  rows: string[][];
  /** Why a row of the file is not among them. */
  note?: string;
}

const rowsMax = 5;
const beginningBytes = 64_000;
/** To parse more would block the page. */
const beginningBytesMax = 1_000_000;

/** The first rows of a file: enough to see which columns it makes. The service reads the file itself. */
export async function readCsvPreview(file: Blob): Promise<CsvPreview> {
  const first = await beginningOf(file, beginningBytes);
  const { lines, end } = first.end === 'enough' ? first : await beginningOf(file, beginningBytesMax);
  const [header, ...rows] = lines;
  const note = noteOf[end]?.(lines.length + 1);
  if (!header) throw new Error(note ?? uploadTexts.fileIsEmpty);
  return { header: header.map((name) => name.trim()), rows, ...(note && { note }) };
}

type End = 'enough' | 'file' | 'tooLong' | 'quote';

const noteOf: Partial<Record<End, (row: number) => string>> = {
  tooLong: uploadTexts.rowIsTooLong,
  quote: uploadTexts.quoteNeverCloses,
};

/** The header and the first rows, as far as they are whole. */
async function beginningOf(file: Blob, bytes: number): Promise<{ lines: string[][]; end: End }> {
  const isCut = file.size > bytes;
  const text = textOf(new Uint8Array(await file.slice(0, bytes).arrayBuffer()));
  const declared = readDelimiter(text);
  let isUnclosed = false;
  const options = {
    ...dialect,
    delimiter: declared ?? likelyDelimiter(text),
    from_line: declared ? 2 : 1,
    // One more than is shown: the last one may be cut.
    to: rowsMax + 2,
    on_record: (cells: string[]) => (isEmpty(cells) ? null : cells),
    on_skip() {
      isUnclosed = true;
    },
  };
  const found = parse(text, options as object) as unknown as string[][];
  const whole = isCut && !isUnclosed ? found.slice(0, -1) : found;
  const lines = whole.slice(0, rowsMax + 1);
  if (lines.length > rowsMax) return { lines, end: 'enough' };
  return { lines, end: isCut ? 'tooLong' : isUnclosed ? 'quote' : 'file' };
}

function likelyDelimiter(text: string): string {
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  const timesIn = (part: string) => firstLine.split(part).length;
  return [',', ';', '\t'].toSorted((a, b) => timesIn(b) - timesIn(a))[0] as string;
}

/** Without a byte order mark, which a decoder leaves out. */
function textOf(bytes: Uint8Array): string {
  const mark = detectMark(bytes);
  if (mark) return decodeAs(bytes, mark).text;
  // The last character may be cut in two, which is not a sign of another encoding.
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    // The service refuses a file whose encoding cannot be told, and says so.
    return (decodeUnnamed(bytes) ?? decodeAs(bytes, 'windows-1252')).text;
  }
}
