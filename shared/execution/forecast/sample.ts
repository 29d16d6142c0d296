import { idPages } from '../../domain/records/id-pages.ts';
import { type RecordItem, recordsRange } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { missingRecords, noRecords, type SelectedRecords } from '../batches/starting/start-batch.ts';

export interface RecordSample {
  total: number;
  records: RecordItem[];
  notes: string[];
}

const sampleMax = 200;
const idsPerPage = 1_000;
/** Of a type with more records, the newest are sampled. */
const idsMax = 20_000;

/** At most 200 records, evenly over the selection. @throws 404 with the missing ones, 400 without any */
export async function sampleRecords(
  scope: Scope,
  selected: SelectedRecords,
  isNamed: boolean,
): Promise<RecordSample> {
  const records = recordStore(scope);
  if ('recordIds' in selected) {
    const { recordIds } = selected;
    const missing = isNamed ? await records.missing(recordIds) : [];
    if (missing.length > 0) throw missingRecords(recordIds, missing);
    return { total: recordIds.length, records: await records.getMany(evenly(recordIds)), notes: [] };
  }
  const { recordType } = selected;
  const ids: string[] = [];
  for await (const page of idPages(scope, recordType, idsPerPage)) {
    ids.push(...page);
    if (ids.length >= idsMax) break;
  }
  if (ids.length === 0) throw noRecords(recordType);
  const isAll = ids.length < idsMax;
  const total = isAll ? ids.length : await scope.table.count(recordsRange(recordType));
  const notes = total > ids.length ? [`The sample is of the newest ${ids.length} records`] : [];
  return { total, records: await records.getMany(evenly(ids)), notes };
}

const evenly = (ids: readonly string[]): string[] => {
  const count = Math.min(sampleMax, ids.length);
  return Array.from({ length: count }, (_, index) => ids[Math.floor((index * ids.length) / count)] as string);
};
