import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';

/** A profile: whose memories they are, such as a user. Its name may have any content, so its keys use a hash. */
export const Profile = z.object({
  /** The hash of the name. */
  id: z.string(),
  name: z.string(),
  /** Part of the keys of its memories. Clearing the profile changes it, so that no reader finds the old ones. */
  generation: z.string(),
  /** The model of all its vectors, as `<provider>/<modelId>`. */
  embeddingModel: z.string(),
  /** Memories are numbered from 1, in the order in which they were saved. */
  memoryCount: z.int(),
  /** Cleared generations whose items and vectors are not deleted yet. */
  cleared: z.array(z.object({ generation: z.string(), embeddingModel: z.string() })),
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Profile = z.infer<typeof Profile>;

export interface Generation {
  profileId: string;
  generation: string;
}

const inGeneration = { profileId: z.string(), generation: z.string() };

export const StoredMemory = z.object({
  ...inGeneration,
  /** Derived from the text and the session: the same memory has one item. */
  id: z.string(),
  text: z.string(),
  session: z.string().optional(),
  createdAt: z.string(),
});
export type StoredMemory = z.infer<typeof StoredMemory>;

const MemoryNumber = z.object({
  ...inGeneration,
  number: z.int(),
  memoryId: z.string(),
  session: z.string().optional(),
});

/** What is known of a profile, or of one session of it, up to a memory. */
const MemorySummary = z.object({
  ...inGeneration,
  /** Absent for the whole profile. */
  session: z.string().optional(),
  text: z.string(),
  /** The number of the last memory that was considered. */
  through: z.int(),
  updatedAt: z.string(),
});

const hashOf = (...parts: string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

export const toProfileId = (name: string) => hashOf(name);
export const toMemoryId = (text: string, session: string | undefined) => hashOf(text, session ?? '');

const generationPartition = ({ profileId, generation }: Generation) =>
  tenantPartition(`MEMORY#${profileId}#${generation}`);

export const profileEntity = defineEntity({
  type: 'memoryProfile',
  schema: Profile,
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`MEMORY#${id}`), SK: 'PROFILE' }),
});

export const memoryEntity = defineEntity({
  type: 'memory',
  schema: StoredMemory,
  key: ({ id, ...generation }: Generation & { id: string }) => ({
    PK: generationPartition(generation),
    SK: `MEMORY#${id}`,
  }),
});

const numberKey = (number: number) => `NUMBER#${String(number).padStart(8, '0')}`;

export const memoryNumberEntity = defineEntity({
  type: 'memoryNumber',
  schema: MemoryNumber,
  key: ({ number, ...generation }: Generation & { number: number }) => ({
    PK: generationPartition(generation),
    SK: numberKey(number),
  }),
});

export const memorySummaryEntity = defineEntity({
  type: 'memorySummary',
  schema: MemorySummary,
  key: ({ session, ...generation }: Generation & { session?: string | undefined }) => ({
    PK: generationPartition(generation),
    SK: session === undefined ? 'SUMMARY' : `SUMMARY#${hashOf(session)}`,
  }),
});

export const generationRange = (generation: Generation) => ({ partition: generationPartition(generation) });
/** The numbers of the memories from `first` on, in order. */
export const numbersRange = (generation: Generation, first: number) => ({
  partition: generationPartition(generation),
  from: numberKey(first),
  to: numberKey(99_999_999),
});
