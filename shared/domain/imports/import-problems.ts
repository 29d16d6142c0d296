/**
 * The rows of an import that were skipped: one item each, until the files of the import expire.
 *
 * A problem is written before its chunk is marked as done, under the number of its row: a chunk that is delivered again
 * writes the same items. The list pages through them in the order of the rows.
 */

import * as z from 'zod';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { invalidListCursor } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { jobFileReader } from '../jobs/job-files.ts';
import type { Problem } from './columns.ts';
import { type ImportItem, keptSeconds } from './import.ts';

/** All are counted. */
export const problemsMax = 100_000;

export const ImportProblem = z.object({
  row: z.int().meta({ description: 'Rows of data are counted from 1; 0 is the header' }),
  column: z.string().nullable(),
  code: z.string(),
  message: z.string(),
  text: z.string().meta({ description: 'The cell, else the row, cut at 200 characters' }),
});
export type ImportProblem = z.infer<typeof ImportProblem>;

const partitionOf = (importId: string) => tenantPartition(`IMPORT#${importId}#PROBLEMS`);
const toSortKey = (row: number) => String(row).padStart(8, '0');

const problemEntity = defineEntity({
  type: 'importProblem',
  /** Without a chunk for a row that a row of another chunk displaced. */
  schema: ImportProblem.extend({ chunk: z.int().optional(), ttl: z.int() }),
  key: ({ importId, row }: { importId: string; row: number }) => ({
    PK: partitionOf(importId),
    SK: toSortKey(row),
  }),
});
export type StoredProblem = z.infer<typeof problemEntity.schema>;

export const problemWriter = /* @__PURE__ */ using(
  ['table:write', 'table:delete'],
  ({ table, now }: Scope) =>
    async (
      importId: string,
      chunk: number | undefined,
      problems: readonly (Problem & { row: number })[],
    ): Promise<void> => {
      const ttl = unixSeconds(now()) + keptSeconds;
      await table.insertAll(
        problems.map(({ row, column, code, message, text }) => {
          const item = {
            row,
            column,
            code,
            message,
            text: text.toWellFormed(),
            ttl,
            ...(chunk !== undefined && { chunk }),
          };
          return table.writes.put(problemEntity, { ...item, importId } as typeof item);
        }),
      );
    },
);

export const problemReader = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => ({
  /** @param cursor The `nextCursor` of an earlier page. @throws 400 */
  async list(importId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
    if (cursor !== undefined && !/^\d{1,8}$/.test(cursor)) throw invalidListCursor();
    const from = toSortKey(Number(cursor ?? 0) + 1);
    const { items, isCut } = await table.first(limit, { partition: partitionOf(importId), from });
    const problems = decodeReadable(problemEntity, items);
    const last = problems.at(-1);
    return {
      problems: problems.map((problem) => ImportProblem.parse(problem)),
      pagination: { nextCursor: isCut && last ? String(last.row) : null, hasMore: isCut, limit },
    };
  },

  /** In the order of the rows, at most {@link problemsMax}. */
  async *all(importId: string): AsyncGenerator<StoredProblem[], void> {
    let left = problemsMax;
    for await (const items of table.pages({ partition: partitionOf(importId) })) {
      yield decodeReadable(problemEntity, items).slice(0, left);
      left -= items.length;
      if (left <= 0) return;
    }
  },
}));

/** The name of the file of problems among those of an import. */
export const problemsFile = 'problems.csv';

/** An address of the file of problems, for an hour; null if there is none. */
export const problemsAddress = /* @__PURE__ */ using(
  [jobFileReader],
  (scope: Scope) =>
    async ({ id, hasProblemsFile }: ImportItem): Promise<string | null> =>
      hasProblemsFile ? jobFileReader(scope).signDownload(id, problemsFile, 'problems.csv') : null,
);
