import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { forEachInTime } from '../../platform/data/for-each-in-time.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { jsonBytes } from './limits.ts';
import { type Owner, type RecordDraft, toNewRecord } from './new-record.ts';
import type { RecordItem } from './record.ts';
import { recordInserts } from './record-writer.ts';

/** A transaction takes 100 writes, two per record, and 4 MB. */
const recordsPerTransaction = 50;
const bytesPerTransaction = 3_000_000;
export const transactionsAtOnce = 8;

export interface Inserted<Draft> {
  /** In the order of the drafts. */
  created: RecordItem[];
  /** The drafts whose type and name already exist. */
  taken: Draft[];
}

interface Entry<Draft> {
  draft: Draft;
  record: RecordItem;
}

/** Creates many records, each atomically, and returns the drafts whose type and name already exist. */
export const insertMany = (scope: Scope) => {
  const insert = insertEach(scope);
  return async <Draft extends RecordDraft>(
    owner: Owner,
    drafts: readonly Draft[],
  ): Promise<Inserted<Draft>> => {
    const created: RecordItem[] = [];
    const taken = new Set<Draft>();
    await insert(owner, drafts, {
      onDone: (done) => {
        created.push(...done.created.map(({ record }) => record));
        for (const { draft } of done.taken) taken.add(draft);
      },
    });
    // Ids sort in the order of the drafts.
    return {
      created: created.sort((one, other) => (one.id < other.id ? -1 : 1)),
      taken: drafts.filter((draft) => taken.has(draft)),
    };
  };
};

export interface InsertOptions<Draft> {
  /** Receives the results in parts. */
  onDone: (done: { created: Entry<Draft>[]; taken: Entry<Draft>[] }) => void;
  /** The milliseconds until the Lambda timeout. By default, there is none. */
  timeLeftMs?: () => number;
}

/** Keeps only drafts in progress in memory. @returns those left for lack of time; all before the first of them are done. */
export const insertEach =
  (scope: Scope) =>
  async <Draft extends RecordDraft>(
    owner: Owner,
    drafts: Iterable<Draft> | AsyncIterable<Draft>,
    { onDone, timeLeftMs = () => Number.POSITIVE_INFINITY }: InsertOptions<Draft>,
  ): Promise<Draft[]> => {
    const transactions = transactionsOf(drafts, (draft) => toNewRecord(scope, owner, draft));
    const limits = { atOnce: transactionsAtOnce, timeLeftMs };
    const unfinished = await forEachInTime(transactions, limits, async (drafted, signal) => {
      const records = drafted.map(({ record }) => record);
      const taken = new Set(await insertFree(scope, records));
      // Reported as unfinished.
      if (signal.aborted) return;
      onDone({
        created: drafted.filter(({ record }) => !taken.has(record)),
        taken: drafted.filter(({ record }) => taken.has(record)),
      });
    });
    return unfinished.flatMap(([first]) => first?.draft ?? []);
  };

/** Inserts the records with free names. A rejected transaction tells which names are taken; the others are retried. */
async function insertFree({ table }: Scope, records: readonly RecordItem[]): Promise<RecordItem[]> {
  const taken: RecordItem[] = [];
  for (let left = records; left.length > 0; ) {
    try {
      await table.commit(left.flatMap((record) => recordInserts(table.writes, record)));
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

async function* transactionsOf<Draft extends RecordDraft>(
  drafts: Iterable<Draft> | AsyncIterable<Draft>,
  toRecord: (draft: Draft) => RecordItem,
): AsyncGenerator<Entry<Draft>[]> {
  let drafted: Entry<Draft>[] = [];
  let bytes = 0;
  for await (const draft of drafts) {
    const record = toRecord(draft);
    const size = jsonBytes(record);
    const isFull = drafted.length >= recordsPerTransaction || bytes + size > bytesPerTransaction;
    if (isFull && drafted.length > 0) {
      yield drafted;
      [drafted, bytes] = [[], 0];
    }
    drafted.push({ draft, record });
    bytes += size;
  }
  if (drafted.length > 0) yield drafted;
}
