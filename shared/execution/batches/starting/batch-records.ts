import { type ErrorDetail, invalidAt, notFound } from '../../../core/errors/errors.ts';
import { recordsRange } from '../../../domain/records/record.ts';
import { recordStore } from '../../../domain/records/record-store.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Batch } from '../batch.ts';
import { batchPlanner, type ListedRecord } from './batch-plan.ts';

/** The response lists the first thousand records: it must fit 6 MB. */
const listedMax = 1_000;
/** How many missing records a 404 response lists. */
const missingListedMax = 10;

/** The records of a new batch: the first of them, and what the batch stores of all. */
export interface BatchRecords {
  records: readonly { id: string }[];
  extent: Pick<Batch, 'recordType' | 'totalRecords' | 'lastRecordId'>;
}

/** Those of an empty list are none, and of an empty type too. */
export const batchRecords = /* @__PURE__ */ using([batchPlanner, 'table:read'], (scope: Scope) => {
  const { table } = scope;

  /** The id of the newest record in a range, independent of the clock. */
  async function newestIn(range: ReturnType<typeof recordsRange>): Promise<string> {
    const { items } = await table.first(1, { ...range, newestFirst: true });
    return items[0]?.SK2 as string;
  }

  return {
    /** @throws 404 that lists the missing ones */
    async existing(recordIds: readonly string[]): Promise<BatchRecords> {
      const missing = await recordStore(scope).missing(recordIds);
      if (missing.length > 0) throw missingRecords(recordIds, missing);
      return listedRecords(recordIds);
    },

    async ofType(recordType: string): Promise<BatchRecords & { records: ListedRecord[] }> {
      const { records, isCut } = await batchPlanner(scope).recordsOf(recordType, { limit: listedMax });
      const range = recordsRange(recordType);
      const [totalRecords, lastRecordId] = isCut
        ? await Promise.all([table.count(range), newestIn(range)])
        : [records.length, records.at(-1)?.id ?? ''];
      return { records, extent: { recordType, totalRecords, ...(lastRecordId && { lastRecordId }) } };
    },
  };
});

/** Whether they exist is not asked. */
export const listedRecords = (recordIds: readonly string[]): BatchRecords => ({
  records: recordIds.map((id) => ({ id })),
  extent: { recordType: null, totalRecords: recordIds.length },
});

export const missingRecords = (recordIds: readonly string[], missing: readonly string[]) =>
  notFound('Record', missing.slice(0, missingListedMax).map(missingAt(recordIds)));

export const noRecords = (recordType: string) =>
  invalidAt('recordType', 'NO_RECORDS', `No record has the type "${recordType}"`);

const missingAt =
  (recordIds: readonly string[]) =>
  (id: string): ErrorDetail => ({
    path: `recordIds.${recordIds.indexOf(id)}`,
    code: 'NOT_FOUND',
    message: `Record ${id} does not exist`,
  });
