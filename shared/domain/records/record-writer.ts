import { conflict } from '../../core/errors/errors.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write, WriteCondition, Writes } from '../../platform/data/writes.ts';
import type { RecordDraft } from './new-record.ts';
import { type RecordItem, recordEntity, recordGuardEntity } from './record.ts';

/** Unique together within a tenant. */
export type TypeAndName = Pick<RecordItem, 'type' | 'name'>;
export type RecordChanges = { [Field in keyof RecordDraft]?: RecordDraft[Field] | undefined };

export const hasTypeAndName = ({ type, name }: TypeAndName): WriteCondition => ({
  expression: '#summary.#type = :type AND #summary.#name = :name',
  values: { type, name },
});
const isHeldBy = ({ id }: RecordItem): WriteCondition => ({ expression: '#id = :id', values: { id } });

/** The writes of a new record. Only the second, its guard, can be rejected. */
export const recordInserts = (writes: Writes, record: RecordItem): [Write, Write] => [
  writes.put(recordEntity, storedOf(record)),
  insertGuard(writes, record),
];

const insertGuard = (writes: Writes, { id, type, name }: RecordItem): Write =>
  writes.insert(recordGuardEntity, { id, type, name });

const storedOf = (record: RecordItem) => ({
  ...record,
  metadata: JSON.stringify(record.metadata),
  messages: JSON.stringify(record.messages),
});

/** Replaces the given values completely. */
export const valuesUpdate = ({ now }: Scope, { metadata, messages }: RecordChanges) => ({
  set: {
    metadata: metadata && JSON.stringify(metadata),
    messages: messages === undefined ? undefined : JSON.stringify(messages),
    updatedAt: now().toISOString(),
  },
});

export function recordMove(
  { table: { writes }, now }: Scope,
  before: RecordItem,
  changes: RecordChanges,
): Modification<typeof recordEntity> {
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
  return {
    put: storedOf(after),
    alsoWrite: [writes.remove(recordGuardEntity, before, isHeldBy(before)), insertGuard(writes, after)],
    alsoWriteRefused: () => nameTaken(after),
  };
}

export const recordRemoval = (scope: Scope, record: RecordItem): Modification<typeof recordEntity> => ({
  remove: true,
  condition: hasTypeAndName(record),
  alsoWrite: [
    scope.table.writes.remove(recordGuardEntity, record, isHeldBy(record)),
    tombstoneWrite(scope, record.id),
  ],
});

export const nameTaken = ({ type, name }: TypeAndName) =>
  conflict({
    path: 'name',
    code: 'NAME_TAKEN',
    message: `A record of the type "${type}" with the name "${name}" already exists; choose another name`,
  });
