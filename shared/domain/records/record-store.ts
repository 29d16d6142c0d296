import { conflict, notFound } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import { insertEach, insertMany } from './insert-many.ts';
import { listRecords } from './list-records.ts';
import { matchingRecords, stillMatching } from './matching-records.ts';
import { newRecord, type Owner, RecordDraft } from './new-record.ts';
import { type RecordItem, recordEntity, recordGuardEntity } from './record.ts';
import { exists, isNamed, type Pair, type RecordChanges, recordWriter } from './record-writer.ts';

export type RecordStore = ReturnType<typeof recordStore>;

const attemptsMax = 5;

export const recordStore = /* @__PURE__ */ using(['table:write'], (scope: Scope) => {
  const { table, signal } = scope;
  const attempt = recordWriter(scope);

  async function get(id: string): Promise<RecordItem> {
    const record = await table.get(recordEntity, { id }, { consistent: true });
    if (!record) throw notFound('Record');
    return record;
  }

  /** Those of the records that exist and can be read, in the order asked for. */
  async function getMany(ids: readonly string[]): Promise<RecordItem[]> {
    const keys = ids.map((id) => recordEntity.key(table.tenant, { id }));
    const items = await table.getMany(keys, { consistent: true });
    return decodeReadable(recordEntity, items);
  }

  /** Those of the ids that no record has. */
  async function missing(ids: readonly string[]): Promise<string[]> {
    const items = await table.getMany(
      ids.map((id) => recordEntity.key(table.tenant, { id })),
      { consistent: true },
    );
    return ids.filter((_, index) => !items[index]);
  }

  /** The record of this type and name, if there is one. */
  const idOf = async (pair: Pair): Promise<string | undefined> =>
    (await table.get(recordGuardEntity, pair, { consistent: true }))?.id;

  const reads = { table, now: scope.now, signal, getMany, idOf };
  return {
    get,
    getMany,
    missing,
    idOf,
    list: listRecords(reads),
    matching: matchingRecords(reads),
    stillMatching: stillMatching(reads),
    createMany: insertMany(scope),
    createEach: insertEach(scope),

    /** @throws 409 where there is a record of this type and name. */
    async refuseTaken(pair: Pair): Promise<void> {
      if (await idOf(pair)) throw taken(pair);
    },

    async create(owner: Owner, draft: RecordDraft): Promise<RecordItem> {
      const record = newRecord(scope, owner, draft);
      if (await attempt.insert(record)) return record;
      throw taken(record);
    },

    async update(id: string, changes: RecordChanges): Promise<RecordItem> {
      if (changes.type === undefined && changes.name === undefined) {
        const after = await attempt.replaceValues(id, changes, exists);
        if (after) return after;
        throw notFound('Record');
      }
      return persistently(async () => {
        const before = await get(id);
        const { type = before.type, name = before.name } = changes;
        if (type === before.type && name === before.name) {
          return attempt.replaceValues(id, changes, isNamed(before));
        }
        const after = await attempt.move(before, changes);
        if (after === 'taken') throw taken({ type, name });
        return after === 'changed' ? undefined : after;
      });
    },

    /** Creates the record, or replaces the metadata of the one of that type and name. @throws ApiError as create does. */
    async upsert({ userId, organizationId, ...given }: Owner & Pair & Pick<RecordItem, 'metadata'>) {
      const draft = parseOrReject(RecordDraft, given);
      return persistently(async () => {
        const id = await idOf(draft);
        if (id) return attempt.replaceValues(id, { metadata: draft.metadata }, isNamed(draft));
        const record = newRecord(scope, { userId, organizationId }, draft);
        return (await attempt.insert(record)) ? record : undefined;
      });
    },

    /** The record is gone from all reads at once. Its step results are left to the cleanup. */
    async remove(id: string): Promise<void> {
      await persistently(async () => (await attempt.remove(await get(id))) || undefined);
    },
  };
});

/** Decides anew when another writer came between, a few times. */
async function persistently<T>(decide: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const result = await decide();
    if (result !== undefined) return result;
  }
  throw conflict('The record was changed by others at the same time; read it again and retry');
}

const taken = ({ type, name }: Pair) =>
  conflict({
    path: 'name',
    code: 'NAME_TAKEN',
    message: `A record of the type "${type}" with the name "${name}" exists already`,
  });
