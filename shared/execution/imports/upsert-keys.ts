/**
 * Finds the records that the rows of an upsert change: by the name, or by members of their metadata.
 *
 * A name is found by its guard. For another key, the keys of the records that exist are noted when the import begins, in items
 * of their own that expire; the import adds those of the records that it creates, in the same transaction. So finding costs
 * one request for a key and one for the record, at most, however many records there are. A note may be of a record whose key
 * was changed since, so the record that is read decides.
 */

import { createHash } from 'node:crypto';
import { toChunks } from '../../core/chunks.ts';
import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { unixSeconds } from '../../core/time.ts';
import { type ColumnPlan, type ReadRow, setValues } from '../../domain/imports/columns.ts';
import {
  type ImportItem,
  importKeyEntity,
  importKeyPartition,
  keptSeconds,
} from '../../domain/imports/import.ts';
import { type RecordItem, recordGuardEntity } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { idPages } from '../../domain/records/schema-discovery.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';

/** Reads what makes up a key: members of the metadata where the columns go, perhaps with the name. */
function createKeyReader({ key = [], columns, nameColumn, typeColumn }: ColumnPlan) {
  const paths = key.map((name) => columns.find((column) => column.name === name)?.path ?? [name]);
  return ({ name, type, metadata }: Pick<RecordItem, 'name' | 'type' | 'metadata'>): unknown[] =>
    key.map((column, index) =>
      column === nameColumn ? name : column === typeColumn ? type : valueAt(metadata, paths[index] ?? []),
    );
}

const valueAt = (metadata: Readonly<Record<string, unknown>>, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    metadata,
  );

/** Texts and numbers of the same digits are the same key: CSV does not tell them apart. */
const hashKey = (type: string, values: readonly unknown[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        type,
        ...values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
      ]),
    )
    .digest('base64url')
    .slice(0, 32);

const isComplete = (values: readonly unknown[]) =>
  values.every((value) => value !== undefined && value !== null && value !== '');

/** Notes the keys of existing records. @param onPage Is called with the last record of each page. */
export const keyNotes = /* @__PURE__ */ using(
  ['table:write', 'table:delete', recordStore],
  (scope: Scope) =>
    async (
      { id: importId, cut }: ImportItem,
      plan: ColumnPlan,
      onPage: (keyedTo: string) => Promise<void>,
    ): Promise<void> => {
      if (!plan.key) return;
      const readKey = createKeyReader(plan);
      const ttl = unixSeconds(scope.now()) + keptSeconds;
      for await (const ids of idPages(scope, plan.type)) {
        // Newest first: those noted before a crash come first again.
        const left = ids.filter((id) => cut.keyedTo === undefined || id < cut.keyedTo);
        const puts = (await recordStore(scope).getMany(left)).flatMap((record) => {
          const { id, type } = record;
          const values = readKey(record);
          if (!isComplete(values)) return [];
          const key = { importId, hash: hashKey(type, values), id };
          return [scope.table.writes.put(importKeyEntity, { ...key, ttl })];
        });
        await scope.table.insertAll(puts);
        const last = left.at(-1);
        if (last) await onPage(last);
      }
    },
);

export interface Found {
  /** The records that fit; several are ambiguous. */
  records: RecordItem[];
  /** The record that has the name of the row, if the name is no key. */
  nameTakenBy: string | undefined;
  /** What a new record has beside itself. */
  noteWrite: ((id: string) => Write) | undefined;
}

const lookupsAtOnce = 10;

/** Finds the records of rows, each with two requests at most. */
export const recordFinder = /* @__PURE__ */ using(['table:write', recordStore], (scope: Scope) => {
  const { table } = scope;

  /** Of those with a name. */
  async function findByName(rows: readonly ReadRow[]): Promise<(string | undefined)[]> {
    const keys = rows.map(({ type, name = '' }) => recordGuardEntity.key({ type, name }));
    const guards = await table.getMany(keys, { consistent: true });
    return rows.map(({ name }, index) =>
      name === undefined ? undefined : (guards[index]?.id as string | undefined),
    );
  }

  async function readRecords(ids: readonly string[]): Promise<Map<string, RecordItem>> {
    const records = await Promise.all(toChunks([...new Set(ids)], 100).map(recordStore(scope).getMany));
    return new Map(records.flat().map((record) => [record.id, record]));
  }

  async function findByKey(importId: string, plan: ColumnPlan, rows: readonly ReadRow[]): Promise<Found[]> {
    const ttl = unixSeconds(scope.now()) + keptSeconds;
    const readKey = createKeyReader(plan);
    const asked = rows.map(({ type, key = [] }, index) => ({ index, hash: hashKey(type, key) }));
    const idsOf = new Map<number, string[]>();
    const look = async ({ index, hash }: (typeof asked)[number]) => {
      const { items } = await table.first(3, {
        partition: importKeyPartition(importId, hash),
        consistent: true,
      });
      idsOf.set(
        index,
        items.map(({ SK }) => SK),
      );
    };
    for await (const _done of mapConcurrently(asked, lookupsAtOnce, look));
    const records = await readRecords([...idsOf.values()].flat());
    const names = await findByName(rows);
    return asked.map(({ index, hash }) => {
      const { type } = rows[index] as ReadRow;
      const fits = (record: RecordItem) => record.type === type && hashKey(type, readKey(record)) === hash;
      return {
        records: (idsOf.get(index) ?? []).flatMap((id) => records.get(id) ?? []).filter(fits),
        nameTakenBy: names[index],
        noteWrite: (id: string) => table.writes.put(importKeyEntity, { ...{ importId, hash }, id, ttl }),
      };
    });
  }

  return async (importId: string, plan: ColumnPlan, rows: readonly ReadRow[]): Promise<Found[]> => {
    if (plan.key) return findByKey(importId, plan, rows);
    const ids = await findByName(rows);
    const records = await readRecords(ids.filter((id) => id !== undefined));
    return ids.map((id) => ({
      records: [records.get(id ?? '')].filter((record) => record !== undefined),
      nameTakenBy: undefined,
      noteWrite: undefined,
    }));
  };
});

/** The name by which two rows of one transaction would meet. */
export const toRowIdentity = ({ type, name, key }: ReadRow): string =>
  JSON.stringify(key ? ['key', hashKey(type, key)] : ['name', type, name]);

/** What a row makes of the metadata of a record; undefined if it changes nothing. */
export function changedMetadata(
  record: RecordItem,
  { values }: ReadRow,
): Record<string, unknown> | undefined {
  const changed = setValues(record.metadata, values);
  const isEqual = JSON.stringify(sortMembers(changed)) === JSON.stringify(sortMembers(record.metadata));
  return isEqual ? undefined : changed;
}

const sortMembers = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sortMembers(member)] as const);
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
};
