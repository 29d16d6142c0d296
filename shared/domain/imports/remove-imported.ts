import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { bulkDeleter } from '../records/bulk/bulk-delete.ts';
import { importedIds } from '../records/imported-id.ts';
import { recordsRange } from '../records/record.ts';

/** A page of records is in memory at once. */
const idsPerPage = 200;

/**
 * Deletes the records that an import created, page by page, each as a request would: with its tombstone, so that its results
 * follow. Deleted ones are skipped, so a deletion that was interrupted goes on. Without a limit of time: the cleanup that calls
 * it is delivered again.
 */
export const importedRecordsCleaner = /* @__PURE__ */ using([bulkDeleter], (scope: Scope) => {
  const remove = bulkDeleter(scope);
  const isUnlimited = () => Number.POSITIVE_INFINITY;

  return async (importId: string): Promise<void> => {
    const range = { ...recordsRange(undefined), ...importedIds(importId), perQuery: idsPerPage };
    for await (const items of scope.table.pages(range)) {
      const ids = items.map(({ SK1 }) => SK1 as string);
      await remove(ids, isUnlimited);
    }
  };
});
