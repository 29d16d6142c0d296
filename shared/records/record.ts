import { z } from 'zod';
import { defineEntity } from '../data/entity.ts';

export const RecordName = z.string().min(1).max(500);
export const RecordType = z.string().min(1).max(255);
export const Metadata = z.record(z.string(), z.json());
export const RecordMessages = z
  .array(
    z.strictObject({
      role: z.enum(['user', 'assistant']),
      content: z.union([z.string(), z.array(z.json())]),
    }),
  )
  .nullable();

/** What flows run on: a type and a name, unique together, and free-form metadata. */
export const RecordItem = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  type: RecordType,
  name: RecordName,
  /** The name in lower case, for the substring search of lists. */
  search: z.string(),
  metadata: Metadata,
  messages: RecordMessages,
  /** Counts the writes, so that two writers cannot overwrite each other unseen. */
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type RecordItem = z.infer<typeof RecordItem>;

/** The partition of the index that lists all records of a tenant, or those of one type. */
export const recordsPartition = (tenant: string) => `T#${tenant}#RECORDS`;
export const recordTypePartition = (tenant: string, type: string) => `T#${tenant}#RECORDS#${type}`;

/** A record shares its partition with the checkpoints of the runs on it. */
export const recordEntity = defineEntity({
  type: 'record',
  schema: RecordItem,
  key: (tenant, { id }: { id: string }) => ({ PK: `T#${tenant}#RECORD#${id}`, SK: 'RECORD' }),
  index: (tenant, { id, type }) => ({
    PK1: recordsPartition(tenant),
    SK1: id,
    PK2: recordTypePartition(tenant, type),
    SK2: id,
  }),
  summary: ['type', 'name', 'search'],
});
