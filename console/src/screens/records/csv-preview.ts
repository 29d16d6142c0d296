import { parse } from 'csv-parse/browser/esm/sync';

export interface Preview {
  header: string[];
  rows: string[][];
}

const readBytes = 64_000;
const rowsMax = 5;

/** The first rows of a file: enough to see which columns it makes. The service reads the file itself. */
export async function previewOf(file: Blob): Promise<Preview> {
  const text = textOf(new Uint8Array(await file.slice(0, readBytes).arrayBuffer()));
  const firstLine = text.slice(0, text.search(/[\r\n]|$/));
  const delimiter = [',', ';', '\t'].toSorted(
    (a, b) => timesIn(firstLine, b) - timesIn(firstLine, a),
  )[0] as string;
  const [header = [], ...rows] = parse(text, {
    ...{ delimiter, to: rowsMax + 1, bom: true },
    ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true },
  }) as string[][];
  return { header: header.map((name) => name.trim()), rows };
}

const timesIn = (text: string, part: string) => text.split(part).length;

function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  // The last character may be cut in two, which is not a sign of another encoding.
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
