/**
 * The memories of a profile: texts in the table, numbered in the order in which they were saved, and their vectors beside it.
 *
 * The keys of memories contain the profile's generation. Clearing a profile changes the generation, so that readers find
 * nothing from that write on, and then deletes the cleared generations, vectors first; an interrupted clearing is completed by
 * the next one. Saving writes the item, which is the same for the same text, before its vector; a vector that failed is
 * written again when the memory is saved again, and one that met a clearing is deleted. A summary is replaced only if nobody
 * else stored one since.
 *
 * Reached through the port of `memory-adapter.ts`, from steps and agents.
 */

import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type {
  Memory,
  NumberedMemory,
  ProfileMemory,
  SummaryOfMemories,
} from '../../adapters/ports/memory-port.ts';
import {
  deleteMemories,
  type MemorySpace,
  nearestMemories,
  putMemory,
} from '../../adapters/vectors/memory-vectors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { decode, defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isConditionFailed } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type WriteCondition } from '../../platform/data/writes.ts';
import { memoriesMax } from './limits.ts';

export async function openProfile(scope: Scope, name: string): Promise<ProfileMemory> {
  return createProfileMemory(scope, name, await findProfile(scope, name));
}

function createProfileMemory(scope: Scope, name: string, profile: Profile | undefined): ProfileMemory {
  const generation = profile && toGeneration(profile);
  const toSpace = (of: Profile) => toMemorySpace(scope.table.tenant, toGeneration(of), of.embeddingModel);
  return {
    embeddingModel: profile?.embeddingModel,
    memoryCount: profile?.memoryCount ?? 0,

    async save({ text, session, vector, embeddingModel }) {
      const into = profile ?? (await createProfile(scope, name, embeddingModel));
      const id = toMemoryId(text, session);
      const isNew = await addMemory(scope, into, { id, text, session });
      // Also for a known memory: an earlier attempt may have failed here.
      await putMemory(scope.table, toSpace(into), { id, vector, session });
      const now = await findProfile(scope, name);
      // The profile was cleared in between, and its deletion may have missed the vector.
      if (now?.generation !== into.generation) await deleteMemories(toSpace(into), [id]);
      return { id, isNew };
    },

    async nearest(query) {
      if (!profile || !generation) return [];
      return readMemoriesByIds(scope, generation, await nearestMemories(toSpace(profile), query));
    },

    after: async (number, query) =>
      generation ? readMemoriesAfter(scope, generation, number, query) : { memories: [], through: number },

    summary: async (session) => generation && readSummary(scope, generation, session),

    async storeSummary(summary, replaced) {
      if (generation) await storeSummary(scope, generation, summary, replaced);
    },

    clear: async () => (profile ? clearProfile(scope, profile) : 0),
  };
}

/** Readers find nothing from the first write on. The next call completes an interrupted one. @returns the number of memories */
async function clearProfile(scope: Scope, earlier: Profile): Promise<number> {
  const { table } = scope;
  let memoryCount = 0;
  const profile = await table.modify(
    profileEntity,
    earlier,
    (before) => {
      const { generation, embeddingModel, cleared } = before;
      memoryCount = before.memoryCount;
      return {
        condition: isSame(before),
        put: {
          ...before,
          generation: randomUUID(),
          memoryCount: 0,
          updatedAt: scope.now().toISOString(),
          cleared: [...cleared, { generation, embeddingModel }],
        },
      };
    },
    { consistent: true, conflictError: createProfileConflict },
  );
  for (const { generation, embeddingModel } of profile?.cleared ?? []) {
    await deleteGeneration(scope, { profileId: earlier.id, generation }, embeddingModel);
  }
  if (profile) await removeIfUnused(scope, profile);
  return memoryCount;
}

/** Deletes a page at a time: first the vectors, because the items say which there are. */
async function deleteGeneration(
  { table }: Scope,
  generation: Generation,
  embeddingModel: string,
): Promise<void> {
  const space = toMemorySpace(table.tenant, generation, embeddingModel);
  await table.removeRange({ ...generationRange(generation), consistent: true }, (items) => {
    const memories = items.filter(({ _type }) => _type === memoryEntity.type);
    return deleteMemories(
      space,
      memories.map(({ id }) => String(id)),
    );
  });
}

/** A profile that was used again in the meantime stays. */
async function removeIfUnused({ table }: Scope, profile: Profile): Promise<void> {
  const { generation, cleared } = profile;
  const isDeleted = (each: { generation: string }) =>
    cleared.some((one) => one.generation === each.generation);
  await table.modify(
    profileEntity,
    profile,
    (before) => {
      const condition = isSame(before);
      if (before.generation === generation && before.memoryCount === 0) return { condition, remove: true };
      return {
        condition,
        put: { ...before, cleared: before.cleared.filter((each) => !isDeleted(each)) },
      };
    },
    { consistent: true, conflictError: createProfileConflict },
  );
}

/** The memories that exist, in the order of the ids. */
async function readMemoriesByIds(
  { table }: Scope,
  generation: Generation,
  ids: readonly string[],
): Promise<Memory[]> {
  if (ids.length === 0) return [];
  const items = await table.getMany(ids.map((id) => memoryEntity.key({ ...generation, id })));
  return items.flatMap((item) => {
    if (!item) return [];
    const { id, text, session, createdAt } = decode(memoryEntity, item);
    return [{ id, text, session, createdAt }];
  });
}

/** The next memories after a number, oldest first. Without those of other sessions, if one is given. */
async function readMemoriesAfter(
  scope: Scope,
  generation: Generation,
  after: number,
  { session, limit }: { session: string | undefined; limit: number },
): Promise<{ memories: NumberedMemory[]; through: number }> {
  const range = numbersRange(generation, after + 1);
  const { items } = await scope.table.first(limit, { ...range, consistent: true });
  const numbers = items.map((item) => decode(memoryNumberEntity, item));
  const wanted = numbers.filter((each) => session === undefined || each.session === session);
  const numberOf = new Map(wanted.map(({ memoryId, number }) => [memoryId, number]));
  const memories = await readMemoriesByIds(scope, generation, [...numberOf.keys()]);
  return {
    memories: memories.map((memory) => ({ ...memory, number: numberOf.get(memory.id) ?? 0 })),
    through: numbers.at(-1)?.number ?? after,
  };
}

async function readSummary(
  { table }: Scope,
  generation: Generation,
  session: string | undefined,
): Promise<SummaryOfMemories | undefined> {
  const found = await table.get(memorySummaryEntity, { ...generation, session }, { consistent: true });
  return found && { text: found.text, through: found.through, session };
}

/** Stores a summary unless another run has stored one since `replaced` was read. */
async function storeSummary(
  { table, now }: Scope,
  generation: Generation,
  summary: SummaryOfMemories,
  replaced: SummaryOfMemories | undefined,
): Promise<void> {
  const item = { ...generation, ...summary, updatedAt: now().toISOString() };
  const condition: WriteCondition = replaced
    ? { expression: '#through = :through', values: { through: replaced.through } }
    : absent;
  try {
    await table.commit([table.writes.put(memorySummaryEntity, item, condition)]);
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
  }
}

const toMemorySpace = (
  tenant: string,
  { profileId, generation }: Generation,
  embeddingModel: string,
): MemorySpace => ({ tenant, embeddingModel, profile: `${profileId}.${generation}` });

export type NewMemory = Pick<StoredMemory, 'id' | 'text' | 'session'>;

/** Fifty runs may save for one profile at once. */
const attempts = 20;

const toGeneration = ({ id, generation }: Profile): Generation => ({ profileId: id, generation });

/** Reads a profile, as the last writer left it. */
const findProfile = ({ table }: Scope, name: string): Promise<Profile | undefined> =>
  table.get(profileEntity, { id: toProfileId(name) }, { consistent: true });

/** Creates a profile unless another run did. @returns the stored one */
async function createProfile(scope: Scope, name: string, embeddingModel: string): Promise<Profile> {
  const at = scope.now().toISOString();
  const profile: Profile = {
    id: toProfileId(name),
    name,
    embeddingModel,
    generation: randomUUID(),
    memoryCount: 0,
    cleared: [],
    revision: 1,
    createdAt: at,
    updatedAt: at,
  };
  try {
    await scope.table.commit([scope.table.writes.insert(profileEntity, profile)]);
    return profile;
  } catch (error) {
    const existing = isConditionFailed(error) ? await findProfile(scope, name) : undefined;
    if (existing) return existing;
    throw error;
  }
}

/** Unless the profile has it. @throws StepError if the profile is full, changed too often, or was cleared since the read. */
async function addMemory(scope: Scope, profile: Profile, memory: NewMemory): Promise<boolean> {
  const { table } = scope;
  const at = scope.now().toISOString();
  const generation = toGeneration(profile);
  const item: StoredMemory = { ...generation, ...memory, createdAt: at };
  let isNew = true;
  await table.modify(
    profileEntity,
    profile,
    async (before) => {
      if (before.generation !== profile.generation) throw createProfileConflict();
      if (await table.get(memoryEntity, item, { consistent: true })) {
        isNew = false;
        return undefined;
      }
      if (before.memoryCount >= memoriesMax) throw createFullError(profile);
      const number = before.memoryCount + 1;
      const order = { ...generation, number, memoryId: memory.id, session: memory.session };
      return {
        condition: isSame(before),
        put: { ...before, memoryCount: number, updatedAt: at },
        alsoWrite: [table.writes.insert(memoryEntity, item), table.writes.insert(memoryNumberEntity, order)],
      };
    },
    { current: profile, consistent: true, attempts, conflictError: createProfileConflict },
  );
  return isNew;
}

/** Revisions alone do not tell a profile from one that was cleared and used again: they begin anew. */
const isSame = ({ revision, generation }: Profile): WriteCondition => ({
  expression: '#revision = :seen AND #generation = :generation',
  values: { seen: revision, generation },
});

const createProfileConflict = () =>
  new StepError('The memory of the profile was changed by other runs at the same time', { retryable: true });

const createFullError = ({ name }: Profile) =>
  new StepError(
    `The profile ${name} has ${memoriesMax} memories, which is the maximum; clear it with a step save-memory with clear`,
  );

/** A profile: whose memories they are, such as a user. Its name may have any content, so its keys use a hash. */
const Profile = z.object({
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
type Profile = z.infer<typeof Profile>;

interface Generation {
  profileId: string;
  generation: string;
}

const inGeneration = { profileId: z.string(), generation: z.string() };

const StoredMemory = z.object({
  ...inGeneration,
  /** Derived from the text and the session: the same memory has one item. */
  id: z.string(),
  text: z.string(),
  session: z.string().optional(),
  createdAt: z.string(),
});
type StoredMemory = z.infer<typeof StoredMemory>;

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

const hashParts = (...parts: string[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

export const toProfileId = (name: string) => hashParts(name);
const toMemoryId = (text: string, session: string | undefined) => hashParts(text, session ?? '');

const generationPartition = ({ profileId, generation }: Generation) =>
  tenantPartition(`MEMORY#${profileId}#${generation}`);

export const profileEntity = defineEntity({
  type: 'memoryProfile',
  schema: Profile,
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`MEMORY#${id}`), SK: 'PROFILE' }),
});

const memoryEntity = defineEntity({
  type: 'memory',
  schema: StoredMemory,
  key: ({ id, ...generation }: Generation & { id: string }) => ({
    PK: generationPartition(generation),
    SK: `MEMORY#${id}`,
  }),
});

const toNumberKey = (number: number) => `NUMBER#${String(number).padStart(8, '0')}`;

const memoryNumberEntity = defineEntity({
  type: 'memoryNumber',
  schema: MemoryNumber,
  key: ({ number, ...generation }: Generation & { number: number }) => ({
    PK: generationPartition(generation),
    SK: toNumberKey(number),
  }),
});

const memorySummaryEntity = defineEntity({
  type: 'memorySummary',
  schema: MemorySummary,
  key: ({ session, ...generation }: Generation & { session?: string | undefined }) => ({
    PK: generationPartition(generation),
    SK: session === undefined ? 'SUMMARY' : `SUMMARY#${hashParts(session)}`,
  }),
});

export const generationRange = (generation: Generation) => ({ partition: generationPartition(generation) });
/** The numbers of the memories from `first` on, in order. */
const numbersRange = (generation: Generation, first: number) => ({
  partition: generationPartition(generation),
  from: toNumberKey(first),
  to: toNumberKey(99_999_999),
});
