import { tombstoneOf } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Condition, Write, Writes } from '../../platform/data/writes.ts';
import type { RecordDraft } from './new-record.ts';
import { type RecordItem, recordEntity, recordGuardEntity } from './record.ts';

/** A type and a name: one record of a tenant at most has both. */
export type Pair = Pick<RecordItem, 'type' | 'name'>;
export type RecordChanges = { [Field in keyof RecordDraft]?: RecordDraft[Field] | undefined };

export const exists: Condition = { expression: 'attribute_exists(PK)' };
export const isNamed = ({ type, name }: Pair): Condition => ({
  expression: '#summary.#type = :type AND #summary.#name = :name',
  values: { type, name },
});
export const isUnchanged = ({ revision }: Pick<RecordItem, 'revision'>): Condition => ({
  // Not :revision, which an update adds.
  expression: '#revision = :seen',
  values: { seen: revision },
});
const isHeldBy = ({ id }: RecordItem): Condition => ({ expression: '#id = :id', values: { id } });

/** The writes of a new record. Only the second, its guard, can be refused. */
export const insertsOf = (writes: Writes, record: RecordItem): [Write, Write] => [
  putRecord(writes, record),
  insertGuard(writes, record),
];

const insertGuard = (writes: Writes, { id, type, name }: RecordItem): Write =>
  writes.insert(recordGuardEntity, { id, type, name });

function putRecord(writes: Writes, record: RecordItem, condition?: Condition): Write {
  const { metadata, messages } = record;
  const item = { ...record, metadata: JSON.stringify(metadata), messages: JSON.stringify(messages) };
  return writes.put(recordEntity, item, condition);
}

/** Single attempts to write a record: each tells when something stood against it, and throws only what is a fault. */
export const recordWriter = (scope: Scope) => {
  const { table, now } = scope;
  return {
    insert: (record: RecordItem): Promise<boolean> =>
      table.commit(insertsOf(table.writes, record)).then(() => true, ifRefused(false)),

    /** Sent values replace the old ones whole, so of several writers the last one wins and none has to wait. */
    replaceValues(
      id: string,
      { metadata, messages }: RecordChanges,
      condition: Condition,
    ): Promise<RecordItem | undefined> {
      const set = {
        ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
        ...(messages !== undefined && { messages: JSON.stringify(messages) }),
        updatedAt: now().toISOString(),
      };
      const write = table.writes.update(recordEntity, { id }, { set, add: { revision: 1 } }, condition);
      return table.updateAndGet(recordEntity, write).catch(ifRefused(undefined));
    },

    /** Takes the metadata as the text that it is kept as. */
    replaceMetadata({
      id,
      revision,
      metadata,
    }: Pick<RecordItem, 'id' | 'revision'> & { metadata: string }): Promise<boolean> {
      const changes = { set: { metadata, updatedAt: now().toISOString() }, add: { revision: 1 } };
      const write = table.writes.update(recordEntity, { id }, changes, isUnchanged({ revision }));
      return table.commit([write]).then(() => true, ifRefused(false));
    },

    /** Changes what the record is called, and moves its guard with it. */
    move(before: RecordItem, changes: RecordChanges): Promise<RecordItem | 'taken' | 'changed'> {
      const { type = before.type, name = before.name } = changes;
      const { metadata = before.metadata, messages = before.messages } = changes;
      const after = {
        ...before,
        ...{ type, name, search: name.toLowerCase(), metadata, messages },
        revision: before.revision + 1,
        updatedAt: now().toISOString(),
      };
      const moved = table.commit([
        putRecord(table.writes, after, isUnchanged(before)),
        table.writes.remove(recordGuardEntity, before, isHeldBy(before)),
        insertGuard(table.writes, after),
      ]);
      return moved.then(
        () => after,
        (error) => ifRefused(error.failed?.includes(0) ? ('changed' as const) : ('taken' as const))(error),
      );
    },

    remove: (record: RecordItem): Promise<boolean> =>
      table
        .commit([
          table.writes.remove(recordEntity, record, isNamed(record)),
          table.writes.remove(recordGuardEntity, record, isHeldBy(record)),
          tombstoneOf(scope, record.id),
        ])
        .then(() => true, ifRefused(false)),
  };
};

/** Answers something in place of a condition that did not hold. */
const ifRefused =
  <T>(answer: T) =>
  (error: unknown): T => {
    if (error instanceof ConditionFailed) return answer;
    throw error;
  };
