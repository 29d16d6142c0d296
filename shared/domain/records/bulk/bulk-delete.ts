import { conflict } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import { cleanupQueue } from '../../../platform/cleanup/cleanup.ts';
import { forEachInTime } from '../../../platform/data/for-each-in-time.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { type RecordItem, recordEntity } from '../record.ts';
import { recordRemoval, recordStore } from '../record-store.ts';

const deletesAtOnce = 16;

export interface BulkDeleted {
  deletedIds: string[];
  /** Includes records that concurrent requests deleted. */
  notFoundIds: string[];
  /** Not deleted for lack of time. */
  remainingIds: string[];
}

/** Deletes the existing records, each atomically, as many as the time allows. The cleanup removes their dependent data in the background. */
export const bulkDeleter = /* @__PURE__ */ using([recordStore, cleanupQueue], (scope: Scope) => {
  const { getMany } = recordStore(scope);
  const cleanup = cleanupQueue(scope);

  /** @returns whether this call deleted it. */
  async function removeRecord(record: RecordItem): Promise<boolean> {
    const { id } = record;
    const options = { consistent: true, current: record, conflictError: () => createRenamedError(id) };
    const decideRemoval = (record: RecordItem) => recordRemoval(scope, record);
    return (await scope.table.modify(recordEntity, { id }, decideRemoval, options)) !== undefined;
  }

  return async (ids: readonly string[], timeLeftMs: () => number): Promise<BulkDeleted> => {
    const wanted = [...new Set(ids)];
    const records = await getMany(wanted);
    const deleted = new Set<string>();
    const remaining = new Set(records.map(({ id }) => id));
    try {
      await forEachInTime(records, { atOnce: deletesAtOnce, timeLeftMs }, async (record, signal) => {
        const isDeleted = await removeRecord(record);
        if (signal.aborted) return;
        remaining.delete(record.id);
        if (isDeleted) deleted.add(record.id);
      });
    } finally {
      await cleanup.enqueue([...deleted]);
    }
    return {
      deletedIds: wanted.filter((id) => deleted.has(id)),
      notFoundIds: wanted.filter((id) => !deleted.has(id) && !remaining.has(id)),
      remainingIds: wanted.filter((id) => remaining.has(id)),
    };
  };
});

const createRenamedError = (id: string) =>
  conflict(`The record ${id} was renamed by other requests several times; try again`);
