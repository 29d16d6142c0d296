import { conflict, notFound } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { isConditionFailed, retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type WriteCondition } from '../../platform/data/writes.ts';
import { parseOrReject } from '../../platform/http/validation.ts';
import { insertEach, insertMany } from './insert-many.ts';
import { type Owner, RecordDraft, toNewRecord } from './new-record.ts';
import { type RecordItem, recordEntity, recordGuardEntity } from './record.ts';
import { matchingRecords, recordLister, stillMatching } from './record-list.ts';
import {
  hasTypeAndName,
  nameTaken,
  type RecordChanges,
  recordInserts,
  recordMove,
  recordRemoval,
  type TypeAndName,
  valuesUpdate,
} from './record-writer.ts';

export const recordStore = /* @__PURE__ */ using(['table:write', 'table:delete'], (scope: Scope) => {
  const { table, signal } = scope;

  async function get(id: string): Promise<RecordItem> {
    return found(await table.get(recordEntity, { id }, { consistent: true }));
  }

  /** The records that exist and can be read, in the requested order. */
  async function getMany(ids: readonly string[]): Promise<RecordItem[]> {
    const keys = ids.map((id) => recordEntity.key({ id }));
    const items = await table.getMany(keys, { consistent: true });
    return decodeReadable(recordEntity, items);
  }

  async function missing(ids: readonly string[]): Promise<string[]> {
    const items = await table.getMany(
      ids.map((id) => recordEntity.key({ id })),
      { consistent: true },
    );
    return ids.filter((_, index) => !items[index]);
  }

  const idOf = async (pair: TypeAndName): Promise<string | undefined> =>
    (await table.get(recordGuardEntity, pair, { consistent: true }))?.id;

  const replaceValues = (id: string, changes: RecordChanges, condition: WriteCondition) => {
    const update = { ...valuesUpdate(scope, changes), add: { revision: 1 } };
    return table.updateAndGet(recordEntity, table.writes.update(recordEntity, { id }, update, condition));
  };

  const reads = { table, now: scope.now, signal, getMany, idOf };
  return {
    get,
    getMany,
    missing,
    idOf,
    list: recordLister(reads),
    matching: matchingRecords(reads),
    stillMatching: stillMatching(reads),
    createMany: insertMany(scope),
    createEach: insertEach(scope),

    /** @throws 409 if a record has this type and name. */
    async assertNameFree(pair: TypeAndName): Promise<void> {
      if (await idOf(pair)) throw nameTaken(pair);
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
        return found(await replaceValues(id, changes, exists).catch(ifRefused(undefined)));
      }
      const decide = (before: RecordItem) => {
        const { type = before.type, name = before.name } = changes;
        return type === before.type && name === before.name
          ? { update: valuesUpdate(scope, changes), condition: hasTypeAndName(before) }
          : recordMove(scope, before, changes);
      };
      return found(await table.modify(recordEntity, { id }, decide, { consistent: true, conflictError }));
    },

    /** Creates the record, or replaces the metadata of the one with that type and name. @throws ServiceError like `create`. */
    async upsert({
      userId,
      organizationId,
      productSurfaceId,
      ...given
    }: Owner & TypeAndName & Pick<RecordItem, 'metadata'>) {
      const draft = parseOrReject(RecordDraft, given);
      const upsertOnce = async () => {
        const id = await idOf(draft);
        if (id) return replaceValues(id, { metadata: draft.metadata }, hasTypeAndName(draft));
        const record = toNewRecord(scope, { userId, organizationId, productSurfaceId }, draft);
        await table.commit(recordInserts(table.writes, record));
        return record;
      };
      return retryOnConflict(upsertOnce, { conflictError });
    },

    /** No read returns the record any more. The cleanup removes its step results. */
    async remove(id: string): Promise<void> {
      const removal = (record: RecordItem) => recordRemoval(scope, record);
      found(await table.modify(recordEntity, { id }, removal, { consistent: true, conflictError }));
    },
  };
});

function found(record: RecordItem | undefined): RecordItem {
  if (!record) throw notFound('Record');
  return record;
}

const conflictError = () =>
  conflict('The record was changed by another request at the same time; read it again and retry');
