/**
 * Of the rows of an import that have one type and name, the first becomes the record, whichever chunk is stored first.
 *
 * Chunks are stored several at once, so a later row may have the name already. Then the earlier row takes the record over: one
 * transaction gives it the row's values and number (`importRow`), notes the later row as displaced, and counts it as failed
 * instead of created. The chunk of each row counts it as created or failed once, when it is done; a chunk that is delivered again
 * finds by the number and the note what its rows were before. A record that somebody has changed since is left alone.
 *
 * `store-chunk.ts` asks for the rows whose names were taken.
 */

import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { unixSeconds } from '../../core/time.ts';
import {
  displacedRowEntity,
  type ImportItem,
  importEntity,
  keptSeconds,
} from '../../domain/imports/import.ts';
import { problemWriter } from '../../domain/imports/import-problems.ts';
import { toImportedRow } from '../../domain/records/imported-id.ts';
import { type RecordItem, recordEntity, recordGuardEntity } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { using } from '../../platform/aws/uses.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists } from '../../platform/data/writes.ts';
import { type RowProblem, takenProblem } from './row-problem.ts';

export interface Entry {
  row: number;
  record: RecordItem;
}

const rowsAtOnce = 5;

/** @returns those that did not become a record */
export const takenNameResolver = /* @__PURE__ */ using(
  ['table:write', recordStore, problemWriter],
  (scope: Scope) => {
    const { table, now } = scope;

    /** Whether the row is counted as created. */
    async function resolve(item: ImportItem, entry: Entry, nameColumn: string | undefined): Promise<boolean> {
      const { row, record } = entry;
      const [guard] = await table.getMany([recordGuardEntity.key(record)], { consistent: true });
      const [holder] = guard ? await recordStore(scope).getMany([guard.id as string]) : [];
      if (holder?.importId !== item.id) return wasDisplaced(item, row);
      const heldBy = holder.importRow ?? toImportedRow(holder.id);
      if (heldBy === row) return true;
      const isUntouched = holder.updatedAt === holder.createdAt;
      if (heldBy < row || !isUntouched) return wasDisplaced(item, row);
      const problem = takenProblem(heldBy, record, nameColumn);
      await displace(item, entry, holder, problem);
      return true;
    }

    /** By an earlier row, after it had become the record. */
    async function wasDisplaced({ id }: ImportItem, row: number): Promise<boolean> {
      const note = await table.get(displacedRowEntity, { importId: id, row }, { consistent: true });
      return note !== undefined;
    }

    /** @throws ConditionFailed if another row or somebody has changed the record */
    async function displace(
      { id }: ImportItem,
      { row, record }: Entry,
      holder: RecordItem,
      problem: RowProblem,
    ): Promise<void> {
      await problemWriter(scope)(id, undefined, [problem]);
      const ttl = unixSeconds(now()) + keptSeconds;
      const changes = { metadata: JSON.stringify(record.metadata), importRow: row };
      const isSame = { expression: '#revision = :seen', values: { seen: holder.revision } };
      await table.commit([
        table.writes.update(recordEntity, holder, { set: changes, add: { revision: 1 } }, isSame),
        table.writes.put(displacedRowEntity, { importId: id, row: problem.row, ttl } as { ttl: number }),
        table.writes.update(importEntity, { id }, { add: { created: -1, failed: 1 } }, exists),
      ]);
    }

    return async (
      item: ImportItem,
      taken: readonly Entry[],
      nameColumn: string | undefined,
    ): Promise<Entry[]> => {
      const failed: Entry[] = [];
      const resolveOne = async (entry: Entry) => {
        if (!(await retryOnConflict(() => resolve(item, entry, nameColumn)))) failed.push(entry);
      };
      for await (const _done of mapConcurrently(taken, rowsAtOnce, resolveOne));
      return failed;
    };
  },
);
