/**
 * The files of an import: where its rows come from, the form and the plan that are decided at first, and the chunks that its
 * rows are cut into.
 *
 * A chunk is a file of its own: a line that says which rows it has, then one line for each row. The source is an upload, which
 * is read by ranges, or a URL, which is read from its beginning by the rules of egress. `read-file.ts` writes these,
 * `store-chunk.ts` and `end-import.ts` read them, `dry-run.ts` only looks.
 */

import { StepError } from '../../core/errors/step-error.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { limitBytes } from '../../core/limited-fetch.ts';
import { type ColumnPlan, ImportFailure, planColumns } from '../../domain/imports/columns.ts';
import { fileBytesMax, type ImportSettings } from '../../domain/imports/import.ts';
import { type FileForm, lookAt, readRows, type SourceFile } from '../../domain/imports/reading/open-file.ts';
import { parseLine } from '../../domain/imports/reading/text-rows.ts';
import { jobFileReader, jobFileWriter, type PinnedFile } from '../../domain/jobs/job-files.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** By whose cells `auto` decides: so many rows, or as many as so much of the text has. */
const plannedRows = 1_000;
const plannedBytes = 32 * 1_048_576;

export const planFile = 'plan.json';
export const chunkFile = (chunk: number) => `chunk-${chunk}`;

export interface ImportPlan {
  form: FileForm;
  columns: ColumnPlan;
}

export interface Chunk {
  chunk: number;
  /** The number of its first row. */
  firstRow: number;
  /** How many bytes of the file are read with it, of those of the file, since the chunk before. */
  bytes: number;
  lines: string[];
}

const pieceBytes = 65_536;

async function* toPieces(slices: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const slice of slices)
    for (let at = 0; at < slice.length; at += pieceBytes) yield slice.subarray(at, at + pieceBytes);
}

/** @param onBytes Learns how many bytes are read. */
export const sourceOpener = /* @__PURE__ */ using([jobFileReader], (scope: Scope) => {
  const reader = jobFileReader(scope);

  return async (
    { source }: ImportSettings,
    file: PinnedFile | undefined,
    onBytes: (count: number) => void = () => {},
  ): Promise<SourceFile> => {
    const counted = async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        onBytes(piece.length);
        yield piece;
      }
    };
    if (file)
      return {
        bytes: file.bytes,
        stream: (from) => counted(toPieces(reader.stream(file, from))),
        readSlice: (from, to) => reader.readSlice(file, from, to),
      };
    if (!('url' in source)) throw new Error('The file of an upload is known when it is read');
    return {
      bytes: undefined,
      readSlice: undefined,
      stream: (from) => {
        if (from !== 0) throw new Error('A URL is read from its beginning');
        return counted(streamUrl(source.url, scope.signal));
      },
    };
  };
});

async function* streamUrl(
  url: string,
  signal = new AbortController().signal,
): AsyncGenerator<Uint8Array, void> {
  const { openUrl } = await import('../../adapters/net/safe-fetch.ts');
  try {
    const { status, body } = await openUrl(url, signal);
    if (status !== 200) throw new ImportFailure('URL_FAILED', `The server answers ${status} to ${url}`);
    yield* limitBytes(body, fileBytesMax, 'The file at the URL has');
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    if (error.retryable) throw error;
    throw new ImportFailure('URL_FAILED', error.message);
  }
}

interface FirstLines {
  lines: string[];
  /** With those after the lines. */
  linesRead: number;
  /** Where the last of them ends. */
  end: number;
  isAll: boolean;
  failure?: ImportFailure;
}

/** Decides how a file is read, by its first rows. @throws ImportFailure */
export async function planFileRows(
  file: SourceFile,
  settings: ImportSettings,
): Promise<ImportPlan & FirstLines> {
  const form = await lookAt(file, settings);
  const lines: string[] = [];
  let end = 0;
  let isAll = true;
  let failure: ImportFailure | undefined;
  try {
    for await (const batch of readRows(file, form, 0)) {
      lines.push(...batch.lines);
      end = batch.ends.at(-1) ?? end;
      const isLong = form.format !== 'parquet' && end > plannedBytes;
      if (lines.length <= plannedRows && !isLong) continue;
      isAll = false;
      break;
    }
  } catch (error) {
    // The rows before it can be read.
    if (!(error instanceof ImportFailure) || lines.length === 0) throw error;
    failure = error;
  }
  if (lines.length === 0) throw new ImportFailure('NO_ROWS', 'The file has no rows of data');
  const first = lines.slice(0, plannedRows);
  const rows = first.map(parseLine).flatMap((parsed) => ('row' in parsed ? [parsed.row] : []));
  const columns = planColumns(form.format, form.header ?? undefined, rows, settings);
  return { form, columns, lines: first, linesRead: lines.length, end, isAll, ...(failure && { failure }) };
}

export const chunkFiles = /* @__PURE__ */ using([jobFileReader, jobFileWriter], (scope: Scope) => ({
  async writePlan(id: string, { form, columns }: ImportPlan): Promise<void> {
    await jobFileWriter(scope).write(id, planFile, JSON.stringify({ form, columns }));
  },

  readPlan: async (id: string): Promise<ImportPlan> =>
    parseExact(await jobFileReader(scope).readText(id, planFile)) as ImportPlan,

  async write(id: string, { chunk, firstRow, bytes, lines }: Chunk): Promise<void> {
    const head = JSON.stringify({ firstRow, bytes });
    await jobFileWriter(scope).write(id, chunkFile(chunk), `${head}\n${lines.join('\n')}`, 'text/plain');
  },

  async read(id: string, chunk: number): Promise<Chunk> {
    const [head = '{}', ...lines] = (await jobFileReader(scope).readText(id, chunkFile(chunk))).split('\n');
    return { chunk, ...(parseExact(head) as { firstRow: number; bytes: number }), lines };
  },
}));
