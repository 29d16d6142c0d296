/**
 * Records: creates, reads, changes and removes them, and keeps their type and name unique together.
 *
 * Uniqueness is an item of its own, the guard, whose key is the type and name; a record and its guard are written, moved and
 * removed in one transaction. Changes of values do not conflict: the last one wins; changes of the type or the name are
 * decided on the current record. Many records are inserted in transactions of 50, several at once; one that meets taken names
 * is repeated without them, and what time did not allow is returned. Removing writes a tombstone, and the clean-up removes the
 * results of runs.
 */

import { mapYielding } from '../../core/concurrency/event-loop.ts';
import { conflict } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { createConflictError, createMissingError, decodeReadable } from '../../platform/data/entity.ts';
import { forEachInTime } from '../../platform/data/for-each-in-time.ts';
import { isUnchanged, type Modification } from '../../platform/data/modify.ts';
import type { LazyItem } from '../../platform/data/requests/lazy-items.ts';
import { isConditionFailed, retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write, type WriteCondition, type Writes } from '../../platform/data/writes.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import {
  countJsonBytes,
  type Owner,
  RecordDraft,
  type RecordItem,
  recordEntity,
  recordGuardEntity,
  toNewRecord,
} from './record.ts';
import { filterMatching, recordLister, walkMatching } from './record-list.ts';
import { type RecordTest, StoredRecord } from './stored-record.ts';

/** Without the keys of indexes, which are a third of a usual record. */
const storedFields = ['summary', ...Object.keys(recordEntity.schema.shape)];

const bytesPerUnit = 4_096;

export interface MatchingRecords {
  /** In the requested order. */
  records: RecordItem[];
  /** Read units: 1 for each id, and 1 more for each 4 KB of metadata. */
  units: number;
}

export const recordStore = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  const { table, signal } = scope;

  const get = (id: string): Promise<RecordItem> => table.find(recordEntity, { id }, { consistent: true });

  /** The records that exist and can be read, in the requested order. */
  const getMany = async (ids: readonly string[]): Promise<RecordItem[]> =>
    (await getMatching(ids, () => true)).records;

  /** The same for those that match: the others are not decoded. */
  async function getMatching(ids: readonly string[], isMatch: RecordTest): Promise<MatchingRecords> {
    const keys = ids.map((id) => recordEntity.key({ id }));
    const items = await table.getLazily(keys, { consistent: true, fields: storedFields });
    let units = ids.length;
    const decodeMatching = (item: LazyItem | undefined) => {
      if (!item) return [];
      const stored = new StoredRecord(item);
      units += Math.floor(stored.metadataBytes / bytesPerUnit);
      return stored.mayMatch(isMatch) ? decodeReadable(recordEntity, [item.read()]) : [];
    };
    const records = await mapYielding(items, decodeMatching, signal);
    return { records: records.flat(), units };
  }

  async function findMissing(ids: readonly string[]): Promise<string[]> {
    const items = await table.getLazily(
      ids.map((id) => recordEntity.key({ id })),
      { consistent: true },
    );
    return ids.filter((_, index) => !items[index]);
  }

  const findId = async (pair: TypeAndName): Promise<string | undefined> =>
    (await table.get(recordGuardEntity, pair, { consistent: true }))?.id;

  const replaceValues = (id: string, changes: RecordChanges, condition: WriteCondition) => {
    const update = { ...createValuesUpdate(scope, changes), add: { revision: 1 } };
    return table.updateAndGet(recordEntity, table.writes.update(recordEntity, { id }, update, condition));
  };

  const reads = { table, now: scope.now, getMany, getMatching, findId };
  return {
    get,
    getMany,
    getMatching,
    findMissing,
    findId,
    list: recordLister(reads),
    matching: walkMatching(reads),
    stillMatching: filterMatching(reads),
    createMany: insertMany(scope),
    createEach: insertEach(scope),

    /** @throws 409 if a record has this type and name. */
    async assertNameFree(pair: TypeAndName): Promise<void> {
      if (await findId(pair)) throw nameTaken(pair);
    },

    async create(owner: Owner, draft: RecordDraft): Promise<RecordItem> {
      const record = toNewRecord(scope, owner, draft);
      await table.commit(recordInserts(table.writes, record)).catch((error) => {
        throw isConditionFailed(error) ? nameTaken(record) : error;
      });
      return record;
    },

    /** Concurrent updates of the same values do not conflict: the last one wins. */
    async update(id: string, changes: RecordChanges): Promise<RecordItem> {
      if (changes.type === undefined && changes.name === undefined) {
        return replaceValues(id, changes, exists).catch((error) => {
          throw error instanceof ConditionFailed ? createMissingError(recordEntity) : error;
        });
      }
      const decide = (before: RecordItem) => {
        const { type = before.type, name = before.name } = changes;
        return type === before.type && name === before.name
          ? { update: createValuesUpdate(scope, changes), condition: hasTypeAndName(before) }
          : recordMove(scope, before, changes);
      };
      return table.change(recordEntity, { id }, decide, { consistent: true });
    },

    /** Creates the record, or replaces the metadata of the one with that type and name. @throws ServiceError like `create`. */
    async upsert({
      userId,
      organizationId,
      productSurfaceId,
      ...fields
    }: Owner & TypeAndName & Pick<RecordItem, 'metadata'>) {
      const draft = parseOrReject(RecordDraft, fields);
      const upsertOnce = async () => {
        const id = await findId(draft);
        if (id) return replaceValues(id, { metadata: draft.metadata }, hasTypeAndName(draft));
        const record = toNewRecord(scope, { userId, organizationId, productSurfaceId }, draft);
        await table.commit(recordInserts(table.writes, record));
        return record;
      };
      return retryOnConflict(upsertOnce, { conflictError: () => createConflictError(recordEntity) });
    },

    /** No read returns the record any more. The cleanup removes its step results. */
    async remove(id: string): Promise<void> {
      const decideRemoval = (record: RecordItem) => recordRemoval(scope, record);
      await table.change(recordEntity, { id }, decideRemoval, { consistent: true });
    },
  };
});

/** Unique together within a tenant. */
export type TypeAndName = Pick<RecordItem, 'type' | 'name'>;
type RecordChanges = { [Field in keyof RecordDraft]?: RecordDraft[Field] | undefined };

const hasTypeAndName = ({ type, name }: TypeAndName): WriteCondition => ({
  expression: '#summary.#type = :type AND #summary.#name = :name',
  values: { type, name },
});
const isHeldBy = ({ id }: RecordItem): WriteCondition => ({ expression: '#id = :id', values: { id } });

/** The writes of a new record. Only the second, its guard, can be rejected. */
const recordInserts = (writes: Writes, record: RecordItem): [Write, Write] => [
  writes.put(recordEntity, toItem(record)),
  insertGuard(writes, record),
];

/** The same for a record with an id of its own: both can be rejected, the first if the record exists. */
export const importInserts = (writes: Writes, record: RecordItem): [Write, Write] => [
  writes.insert(recordEntity, toItem(record)),
  insertGuard(writes, record),
];

const insertGuard = (writes: Writes, { id, type, name }: RecordItem): Write =>
  writes.insert(recordGuardEntity, { id, type, name });

const toItem = (record: RecordItem) => ({
  ...record,
  metadata: JSON.stringify(record.metadata),
  messages: JSON.stringify(record.messages),
});

/** Replaces the given values completely. */
export const createValuesUpdate = ({ now }: Scope, { metadata, messages }: RecordChanges) => ({
  set: {
    metadata: metadata && JSON.stringify(metadata),
    messages: messages === undefined ? undefined : JSON.stringify(messages),
    updatedAt: now().toISOString(),
  },
});

/** A move without a look at what was refused, for a transaction with others. */
export function recordMoveWrites(scope: Scope, before: RecordItem, changes: RecordChanges): Write[] {
  const { after, alsoWrite } = planMove(scope, before, changes);
  const item = toItem({ ...after, revision: before.revision + 1 });
  return [scope.table.writes.put(recordEntity, item, isUnchanged(before)), ...alsoWrite];
}

function recordMove(
  scope: Scope,
  before: RecordItem,
  changes: RecordChanges,
): Modification<typeof recordEntity> {
  const { after, alsoWrite } = planMove(scope, before, changes);
  return { put: toItem(after), alsoWrite, alsoWriteRefused: () => nameTaken(after) };
}

function planMove({ table: { writes }, now }: Scope, before: RecordItem, changes: RecordChanges) {
  const { type = before.type, name = before.name } = changes;
  const { metadata = before.metadata, messages = before.messages } = changes;
  const after = {
    ...before,
    type,
    name,
    search: name.toLowerCase(),
    metadata,
    messages,
    updatedAt: now().toISOString(),
  };
  const alsoWrite = [writes.remove(recordGuardEntity, before, isHeldBy(before)), insertGuard(writes, after)];
  return { after, alsoWrite };
}

export const recordRemoval = (scope: Scope, record: RecordItem): Modification<typeof recordEntity> => ({
  remove: true,
  condition: hasTypeAndName(record),
  alsoWrite: [
    scope.table.writes.remove(recordGuardEntity, record, isHeldBy(record)),
    tombstoneWrite(scope, record.id),
  ],
});

const nameTaken = ({ type, name }: TypeAndName) =>
  conflict({
    path: 'name',
    code: 'NAME_TAKEN',
    message: `A record of the type "${type}" with the name "${name}" already exists; choose another name`,
  });

/** A transaction takes 100 writes, two per record, and 4 MB. */
const recordsPerTransaction = 50;
const bytesPerTransaction = 3_000_000;
export const transactionsAtOnce = 8;

interface Inserted<Draft> {
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
const insertMany = (scope: Scope) => {
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

interface InsertOptions<Draft> {
  /** Receives the results in parts. */
  onDone: (done: { created: Entry<Draft>[]; taken: Entry<Draft>[] }) => void;
  /** The milliseconds until the Lambda timeout. By default, there is none. */
  timeLeftMs?: () => number;
}

/** Keeps only drafts in progress in memory. @returns those left for lack of time; all before the first of them are done. */
const insertEach =
  (scope: Scope) =>
  async <Draft extends RecordDraft>(
    owner: Owner,
    drafts: Iterable<Draft> | AsyncIterable<Draft>,
    { onDone, timeLeftMs = () => Number.POSITIVE_INFINITY }: InsertOptions<Draft>,
  ): Promise<Draft[]> => {
    const transactions = groupTransactions(drafts, (draft) => toNewRecord(scope, owner, draft));
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

async function* groupTransactions<Draft extends RecordDraft>(
  drafts: Iterable<Draft> | AsyncIterable<Draft>,
  toRecord: (draft: Draft) => RecordItem,
): AsyncGenerator<Entry<Draft>[]> {
  let drafted: Entry<Draft>[] = [];
  let bytes = 0;
  for await (const draft of drafts) {
    const record = toRecord(draft);
    const size = countJsonBytes(record);
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
