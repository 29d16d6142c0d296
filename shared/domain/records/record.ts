import { createHash } from 'node:crypto';
import * as z from 'zod';
import { nameUpTo } from '../../core/name.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';

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
