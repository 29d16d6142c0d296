/**
 * Ends an import once its file is read and all of its chunks are stored: writes the file of its problems, sets its status, and
 * removes what nobody needs any more.
 *
 * `endIfDone` is called after each chunk and after the reading; only the last of them finds everything done. The file of
 * problems is a message of its own, since it may be large. A cancelled import gets one too. Whatever is lost in between is sent
 * again by the sweep (`quiet-jobs.ts`), until the status says the end; files that remain are removed by the rule of the bucket.
 */

import { stringify } from 'csv-stringify/sync';
import { toChunks } from '../../core/chunks.ts';
import type { ColumnPlan, RawRow } from '../../domain/imports/columns.ts';
import { problemColumns } from '../../domain/imports/columns.ts';
import { chunkEntity, type ImportError, type ImportItem, importEntity } from '../../domain/imports/import.ts';
import { problemReader, problemsFile, type StoredProblem } from '../../domain/imports/import-problems.ts';
import { hasStatus } from '../../domain/imports/import-store.ts';
import { parseLine } from '../../domain/imports/reading/text-rows.ts';
import { jobFileRemover, jobFileWriter, jobUploadAborter } from '../../domain/jobs/job-files.ts';
import { jobQueue } from '../../domain/jobs/job-queue.ts';
import { toCsvCell } from '../../domain/records/csv/export-csv.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import { type Chunk, chunkFile, chunkFiles, planFile } from './import-file.ts';

const isDone = ({ status, cut, chunksDone }: ImportItem) =>
  status === 'running' && cut.isDone && chunksDone >= cut.chunks;

/** Does nothing while rows are missing. */
export const endIfDone = /* @__PURE__ */ using(
  ['table:write', jobQueue, jobFileRemover, jobUploadAborter],
  (scope: Scope) =>
    async (id: string): Promise<void> => {
      const item = await scope.table.get(importEntity, { id }, { consistent: true });
      if (!item || !isDone(item)) return;
      if (item.failed > 0) await jobQueue(scope).send({ id, part: 'end' });
      else await finish(scope, item);
    },
);

async function finish(
  scope: Scope,
  item: ImportItem,
  more: Pick<ImportItem, 'hasProblemsFile'> = {},
): Promise<void> {
  const { table, now } = scope;
  const { error } = item.cut;
  const write = table.writes.update(
    importEntity,
    item,
    {
      set: { status: error ? 'failed' : 'completed', completedAt: now().toISOString(), error, ...more },
      removeFromIndex: 2,
    },
    hasStatus('running'),
  );
  await table.commit([write]).catch(onConditionFailed(undefined));
  await removeFiles(scope, item);
}

/** A message that is delivered later finds an import that has ended. */
async function removeFiles(scope: Scope, { id, cut, uploadId }: ImportItem): Promise<void> {
  const chunks = Array.from({ length: cut.chunks }, (_, chunk) => chunkFile(chunk));
  for (const names of toChunks([planFile, 'upload', 'source', ...chunks], 50))
    await jobFileRemover(scope)(id, names);
  if (uploadId !== undefined) await jobUploadAborter(scope)(id, uploadId);
}

export const importEnder = /* @__PURE__ */ using(
  ['table:write', jobFileRemover, jobUploadAborter, jobFileWriter, problemReader, chunkFiles],
  (scope: Scope) =>
    async (id: string): Promise<void> => {
      const item = await scope.table.get(importEntity, { id }, { consistent: true });
      if (!item) return;
      const isCancelled = item.status === 'cancelled' && !item.hasProblemsFile;
      if (!isDone(item) && !isCancelled) return;
      const hasProblemsFile = item.failed > 0;
      if (hasProblemsFile) {
        const rows = await problemRows(scope, item);
        await jobFileWriter(scope).writeStream(id, problemsFile, rows, 'text/csv; charset=utf-8');
      }
      if (!isCancelled) return finish(scope, item, { hasProblemsFile });
      const write = scope.table.writes.update(importEntity, item, { set: { hasProblemsFile } }, exists);
      await scope.table.commit([write]);
      await removeFiles(scope, item);
    },
);

const toLines = (rows: string[][]) =>
  Buffer.from(stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ }));

/** What is wrong stands first, since a row may have any number of cells. */
async function problemRows(scope: Scope, { id }: ImportItem): Promise<AsyncGenerator<Buffer>> {
  const { columns } = await chunkFiles(scope).readPlan(id);
  const names = columns.columns.map(({ name }) => name);
  const rest = async function* () {
    yield toLines([[...problemColumns, ...names]]);
    const ends = await readChunkEnds(scope, id);
    const chunkOf = ({ chunk, row }: StoredProblem) => chunk ?? ends.findIndex((end) => row <= end);
    for await (const page of problemReader(scope).all(id)) {
      for (const [chunk, problems] of Map.groupBy(page, chunkOf)) {
        if (chunk === -1) continue;
        yield toLines(toProblemRows(await chunkFiles(scope).read(id, chunk), problems, columns));
      }
    }
  };
  return rest();
}

/** The last row of each chunk that is stored. */
async function readChunkEnds({ table }: Scope, importId: string): Promise<number[]> {
  const ends: number[] = [];
  const { PK: partition } = chunkEntity.key({ importId, chunk: 0 });
  for await (const chunks of table.pages({ partition, from: 'CHUNK#', to: 'CHUNK#~' }))
    for (const { chunk, row } of chunks) ends[chunk as number] = row as number;
  return Array.from(ends, (end) => end ?? 0);
}

function toProblemRows(
  { firstRow, lines }: Chunk,
  problems: readonly StoredProblem[],
  { columns }: ColumnPlan,
): string[][] {
  return problems.map(({ row, column, code, message }) => {
    const parsed = parseLine(lines[row - firstRow] ?? '');
    const cells = 'row' in parsed ? toCells(parsed.row, columns) : [];
    return [String(row), column ?? '', code, message, ...cells];
  });
}

/** As the file has them: cells of CSV stay, so that the file can be sent again. */
const toCells = (row: RawRow, columns: ColumnPlan['columns']): string[] =>
  Array.isArray(row)
    ? [...row]
    : columns.map(({ name }) => {
        const value = Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : '';
        return toCsvCell(typeof value === 'string' ? value : JSON.stringify(value));
      });

/** For a message that failed again and again. What is stored stays. */
export const importFailer = /* @__PURE__ */ using(
  ['table:write'],
  ({ table, now }: Scope) =>
    async (id: string): Promise<void> => {
      const error: ImportError = {
        code: 'INTERNAL',
        message: 'The import could not go on because of an internal error',
      };
      const write = table.writes.update(
        importEntity,
        { id },
        { set: { status: 'failed', error, completedAt: now().toISOString() }, removeFromIndex: 2 },
        { expression: '#status IN (:queued, :running)', values: { queued: 'queued', running: 'running' } },
      );
      await table.commit([write]).catch(onConditionFailed(undefined));
    },
);
