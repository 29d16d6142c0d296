/**
 * Looks at the beginning of an import's file, as an import would read it, and stores nothing.
 *
 * The first 1,000 rows are read by the same form and plan that a start decides, so the columns, values and problems are those
 * that the import would have, apart from what depends on stored records. How many rows there are is estimated from how far
 * into the file the first ones reach. `functions/imports/start.ts` calls it.
 */

import { invalidAt } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { truncate } from '../../core/text.ts';
import {
  createImportedRowReader,
  ImportFailure,
  isProblem,
  type Problem,
  setValues,
  toCellText,
  toDraft,
} from '../../domain/imports/columns.ts';
import type { ImportItem, ImportSettings } from '../../domain/imports/import.ts';
import { pinUpload } from '../../domain/imports/import-store.ts';
import type { SourceFile } from '../../domain/imports/reading/open-file.ts';
import { parseLine } from '../../domain/imports/reading/text-rows.ts';
import { jobUploads } from '../../domain/jobs/job-files.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { takeWithinBytes } from '../../platform/http/responses/body-sizes.ts';
import { type ImportPlan, planFileRows, sourceOpener } from './import-file.ts';

const shownRows = 20;
const examplesMax = 3;
const exampleBytesMax = 200;
/** Of each list in the response. */
const listBytesMax = 1_500_000;

type FirstRows = Awaited<ReturnType<typeof planFileRows>>;

export interface DryRun {
  columns: { name: string; as: string; examples: unknown[]; missing: number }[];
  rows: { name: string; type: string; metadata: Record<string, unknown> }[];
  /** Of the first rows, for each column. */
  cells: string[][];
  problems: (Problem & { row: number })[];
  rowsEstimated: number;
}

export const dryRunner = /* @__PURE__ */ using([jobUploads, sourceOpener], (scope: Scope) => {
  /** @throws 400 if the file cannot be read; 409 if it is not there */
  return async (item: ImportItem, settings: ImportSettings): Promise<DryRun> => {
    const file = 'upload' in settings.source ? await pinUpload(scope, item) : undefined;
    let bytes = 0;
    const source = await sourceOpener(scope)(settings, file, (count) => {
      bytes += count;
    });
    try {
      let unnamed: ImportFailure | undefined;
      const plan = await planFileRows(source, settings).catch((error) => {
        const [first] = error instanceof ImportFailure ? (error.columns ?? []) : [];
        if (first === undefined) throw error;
        unnamed = error;
        bytes = 0;
        // An upsert by some column needs no name.
        return planFileRows(source, { ...settings, mode: 'upsert', key: [first], columns: {} });
      });
      const shown = describe(plan, plan.lines);
      if (unnamed) {
        const problem = { row: 0, column: null, code: unnamed.code, message: unnamed.message, text: '' };
        Object.assign(shown, { rows: [], problems: [problem] });
      }
      if (plan.failure) shown.problems.push(toLastProblem(plan.lines.length, plan.failure));
      return { ...shown, rowsEstimated: await estimateRows(source, plan, bytes) };
    } catch (error) {
      if (error instanceof StepError)
        throw invalidAt('source', 'INVALID_FORMAT', `URL_FAILED: ${error.message}`);
      if (!(error instanceof ImportFailure)) throw error;
      throw invalidAt('source', 'INVALID_FORMAT', `${error.code}: ${error.message}`);
    }
  };
});

/** @param bytesRead For what the file is, for its form, and for its rows. */
async function estimateRows(
  { bytes, readSlice }: SourceFile,
  { form, linesRead, end, isAll }: FirstRows,
  bytesRead: number,
): Promise<number> {
  if (isAll || bytes === undefined || !readSlice) return linesRead;
  if (form.format === 'parquet') {
    const { countParquetRows } = await import('../../domain/imports/reading/parquet-rows.ts');
    return countParquetRows({ bytes, readSlice });
  }
  const isText = form.textFrom !== null;
  const share = isText
    ? (bytes - (form.textFrom ?? 0)) / Math.max(1, end)
    : (3 * bytes) / Math.max(1, bytesRead);
  return Math.round(linesRead * Math.max(1, share));
}

const toLastProblem = (rows: number, { code, message }: ImportFailure) => ({
  row: rows + 1,
  column: null,
  code,
  message: `${message}. Nothing after row ${rows} can be read`,
  text: '',
});

function describe({ columns: plan }: ImportPlan, lines: readonly string[]): Omit<DryRun, 'rowsEstimated'> {
  const read = createImportedRowReader(plan);
  const rows: DryRun['rows'] = [];
  const problems: DryRun['problems'] = [];
  const found = new Map(plan.columns.map(({ name }) => [name, { examples: [] as unknown[], set: 0 }]));
  for (const [index, line] of lines.entries()) {
    const parsed = parseLine(line);
    const result = 'row' in parsed ? read(parsed.row) : parsed.problem;
    const draft = isProblem(result)
      ? result
      : toDraft({ type: result.type, name: result.name ?? '-', metadata: setValues({}, result.values) });
    if (isProblem(draft)) problems.push({ ...draft, row: index + 1 });
    else if (rows.length < shownRows)
      rows.push({ name: draft.name, type: draft.type, metadata: draft.metadata });
    if (isProblem(result)) continue;
    for (const { path, value } of result.values) {
      const column = plan.columns.find((each) => each.path === path);
      const noted = found.get(column?.name ?? path.join('.'));
      if (!noted) continue;
      noted.set++;
      const isShort = (JSON.stringify(value) ?? '').length <= exampleBytesMax;
      if (noted.examples.length < examplesMax && isShort && !noted.examples.includes(value))
        noted.examples.push(value);
    }
  }
  const columns = plan.columns.map(({ name, as, path }) => {
    const { examples = [], set = lines.length } = found.get(name) ?? {};
    return { name, as, examples, missing: path ? lines.length - set : 0 };
  });
  return {
    columns: takeWithinBytes(columns, listBytesMax),
    rows: takeWithinBytes(rows, listBytesMax),
    cells: takeWithinBytes(lines.slice(0, shownRows).map(cellsOf(plan)), listBytesMax),
    problems: takeWithinBytes(problems, listBytesMax),
  };
}

const cellMax = 200;

/** A row as the file has it, whatever is wrong with it. */
const cellsOf =
  ({ columns }: ImportPlan['columns']) =>
  (line: string): string[] => {
    const parsed = parseLine(line);
    if (!('row' in parsed)) return [];
    const { row } = parsed;
    const values = Array.isArray(row)
      ? (row as readonly unknown[])
      : columns.map(({ name }) => (Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : ''));
    return values.map((value) => truncate(toCellText(value), cellMax));
  };
