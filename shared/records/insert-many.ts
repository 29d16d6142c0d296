import { ConditionFailed } from '../data/condition-failed.ts';
import type { Scope } from '../runtime.ts';
import { jsonBytes } from './limits.ts';
import { newRecord, type Owner, type RecordDraft } from './new-record.ts';
import type { RecordItem } from './record.ts';
import { insertsOf } from './record-writer.ts';

/** A transaction takes 100 writes, two a record, and 4 MB. */
const recordsPerTransaction = 50;
const bytesPerTransaction = 3_000_000;
const transactionsAtOnce = 8;

export interface Inserted<Draft> {
  /** In the order of the drafts. */
  created: RecordItem[];
  /** Those whose type and name another record has. */
  taken: Draft[];
}

/** Creates many records, each whole or not at all, and tells which pairs of type and name were taken. */
export const insertMany =
  (scope: Scope) =>
  async <Draft extends RecordDraft>(owner: Owner, drafts: readonly Draft[]): Promise<Inserted<Draft>> => {
    const entries = drafts.map((draft) => ({ draft, record: newRecord(scope, owner, draft) }));
    const taken = new Set<RecordItem>();
    const batches = batchesOf(entries.map(({ record }) => record)).values();
    const work = async () => {
      for (const batch of batches) for (const record of await insertFree(scope, batch)) taken.add(record);
    };
    await Promise.all(Array.from({ length: transactionsAtOnce }, work));
    return {
      created: entries.flatMap(({ record }) => (taken.has(record) ? [] : [record])),
      taken: entries.flatMap(({ draft, record }) => (taken.has(record) ? [draft] : [])),
    };
  };

/** Inserts those whose names are free. The refused transaction tells which are not; the others go into another. */
async function insertFree({ table }: Scope, batch: readonly RecordItem[]): Promise<RecordItem[]> {
  const taken: RecordItem[] = [];
  for (let left = batch; left.length > 0; ) {
    try {
      await table.commit(left.flatMap((record) => insertsOf(table.writes, record)));
      break;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const refused = new Set(error.failed.map((write) => Math.floor(write / 2)));
      taken.push(...left.filter((_, index) => refused.has(index)));
      left = left.filter((_, index) => !refused.has(index));
    }
  }
  return taken;
}

function batchesOf(records: readonly RecordItem[]): RecordItem[][] {
  const batches: RecordItem[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const size = jsonBytes(record);
    const batch = batches.at(-1);
    if (batch && batch.length < recordsPerTransaction && bytes + size <= bytesPerTransaction) {
      batch.push(record);
      bytes += size;
    } else {
      batches.push([record]);
      bytes = size;
    }
  }
  return batches;
}
