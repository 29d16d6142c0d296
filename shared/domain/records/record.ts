/**
 * A record: its schema, its bounds, and how it is stored.
 * Type and name are unique together, which a guard in the same transaction sees to. Metadata and messages are stored as JSON
 * text. The two indexes list all records of a tenant and those of a type, newest last, with `summary` only.
 * `record-store.ts` reads and writes them, `record-list.ts` filters.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { getIdCreatedAt } from '../../core/ids.ts';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import { nameUpTo } from '../../core/name.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';

export const RecordName = nameUpTo(500);
export const RecordType = nameUpTo(255).refine(
  (text) => !text.includes('\0'),
  'Expected a text without NUL characters',
);
export const Metadata = z.record(z.string(), z.unknown());
export const RecordMessages = z
  .array(
    z.strictObject({
      role: z.enum(['user', 'assistant']),
      content: z.union([z.string(), z.array(z.unknown())]),
    }),
  )
  .nullable();

/** Flows run on records. Type and name are unique together; the metadata is free-form. */
export const RecordItem = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  type: z.string(),
  name: z.string(),
  /** The name in lower case, for the substring search of lists. */
  search: z.string(),
  metadata: Metadata,
  messages: RecordMessages,
  /** The surface whose call created it. */
  productSurfaceId: z.string().optional(),
  /** The import that created it. */
  importId: z.string().optional(),
  /** The row of the import whose values it has, if it was created with those of a later row of the same name. */
  importRow: z.int().optional(),
  /** Incremented by each write, for optimistic locking. */
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type RecordItem = z.infer<typeof RecordItem>;

/** A record, the step results of its runs, and their costs. */
export const recordPartition = (id: string) => tenantPartition(`RECORD#${id}`);

/** The index partitions that list all records of a tenant, or those of one type. */
const recordsPartition = tenantPartition('RECORDS');
const recordTypePartition = (type: string) => tenantPartition(`RECORDS#${type}`);

/** The index range that lists these records, newest last. */
export const recordsRange = (type: string | undefined) =>
  type === undefined
    ? ({ index: 1, partition: recordsPartition } as const)
    : ({ index: 2, partition: recordTypePartition(type) } as const);

/** Shares its partition with checkpoints. JSON text: maps reject large numbers and deep nesting, and take up to 50 % more. */
export const recordEntity = defineEntity({
  type: 'record',
  noun: 'record',
  schema: RecordItem.extend({
    metadata: jsonText<unknown>().pipe(Metadata),
    messages: jsonText<unknown>().pipe(RecordMessages),
  }),
  key: ({ id }: { id: string }) => ({ PK: recordPartition(id), SK: 'RECORD' }),
  index: ({ id, type }) => ({
    PK1: recordsPartition,
    SK1: id,
    PK2: recordTypePartition(type),
    SK2: id,
  }),
  summary: ['type', 'name', 'search', 'productSurfaceId'],
});

/** Reserves a type and name for one record. Written with the record, so that the pair is unique. */
export const recordGuardEntity = defineEntity({
  type: 'recordGuard',
  schema: z.object({ id: z.string(), type: z.string(), name: z.string() }),
  key: ({ type, name }: Pick<RecordItem, 'type' | 'name'>) => ({
    PK: tenantPartition(`NAME#${createHash('sha256').update(`${type}\0${name}`).digest('hex')}`),
    SK: 'NAME',
  }),
});

/** Together with names and keys, these stay below the 400 KB of a DynamoDB item. */
export const metadataBytesMax = 256 * 1024;
const messagesBytesMax = 128 * 1024;

export const countJsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

function oversize(value: unknown, what: string, bytesMax: number): string | undefined {
  if (isDeeperThan(nestingLevelsMax, value))
    return `The ${what} may be nested at most ${nestingLevelsMax} levels deep`;
  const bytes = countJsonBytes(value);
  if (bytes <= bytesMax) return undefined;
  return `The ${what} may have at most ${bytesMax} bytes (${bytesMax / 1024} KB) of JSON; this has ${bytes}`;
}

const limitBytes =
  <T>(what: string, bytesMax: number) =>
  (context: z.core.ParsePayload<T>) => {
    const message = oversize(context.value, what, bytesMax);
    if (message) {
      context.issues.push({ code: 'custom', params: { code: 'TOO_LARGE' }, message, input: context.value });
    }
  };

export const NewMetadata = Metadata.check(limitBytes('metadata', metadataBytesMax));
export const NewMessages = RecordMessages.check(limitBytes('messages', messagesBytesMax));

export const RecordDraft = z.strictObject({
  type: RecordType,
  name: RecordName,
  metadata: NewMetadata.default({}),
  messages: NewMessages.default(null),
});
export type RecordDraft = z.infer<typeof RecordDraft>;

export type Owner = Pick<RecordItem, 'userId' | 'organizationId'> & {
  productSurfaceId?: string | undefined;
};

/** Of a record that an import creates: its id follows from the import and the row. */
export interface ImportedRow {
  id: string;
  importId: string;
}

export function toNewRecord(
  { newId }: Scope,
  { userId, organizationId, productSurfaceId }: Owner,
  { type, name, metadata, messages }: RecordDraft,
  imported?: ImportedRow,
): RecordItem {
  const id = imported?.id ?? newId('record');
  const at = getIdCreatedAt(id);
  return {
    id,
    userId,
    organizationId,
    type,
    name,
    search: name.toLowerCase(),
    metadata,
    messages,
    ...(productSurfaceId !== undefined && { productSurfaceId }),
    ...(imported && { importId: imported.importId }),
    revision: 1,
    createdAt: at,
    updatedAt: at,
  };
}
