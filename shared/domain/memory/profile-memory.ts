import { randomUUID } from 'node:crypto';
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
import { decode } from '../../platform/data/entity.ts';
import { isConditionFailed } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent, type WriteCondition } from '../../platform/data/writes.ts';
import { memoriesMax } from './limits.ts';
import {
  type Generation,
  generationRange,
  memoryEntity,
  memoryNumberEntity,
  memorySummaryEntity,
  numbersRange,
  type Profile,
  profileEntity,
  type StoredMemory,
  toMemoryId,
  toProfileId,
} from './memory.ts';

export async function openProfile(scope: Scope, name: string): Promise<ProfileMemory> {
  return profileMemory(scope, name, await findProfile(scope, name));
}

function profileMemory(scope: Scope, name: string, profile: Profile | undefined): ProfileMemory {
  const generation = profile && profileGeneration(profile);
  const space = (of: Profile) => memorySpace(scope.table.tenant, profileGeneration(of), of.embeddingModel);
  return {
    embeddingModel: profile?.embeddingModel,
    memoryCount: profile?.memoryCount ?? 0,

    async save({ text, session, vector, embeddingModel }) {
      const into = profile ?? (await createProfile(scope, name, embeddingModel));
      const id = toMemoryId(text, session);
      const isNew = await addMemory(scope, into, { id, text, session });
      // Also for a known memory: an earlier attempt may have failed here.
      await putMemory(scope.table, space(into), { id, vector, session });
      const now = await findProfile(scope, name);
      // The profile was cleared in between, and its deletion may have missed the vector.
      if (now?.generation !== into.generation) await deleteMemories(space(into), [id]);
      return { id, isNew };
    },

    async nearest(query) {
      if (!profile || !generation) return [];
      return memoriesByIds(scope, generation, await nearestMemories(space(profile), query));
    },

    after: async (number, query) =>
      generation ? memoriesAfter(scope, generation, number, query) : { memories: [], through: number },

    summary: async (session) => generation && storedSummary(scope, generation, session),

    async storeSummary(summary, replaced) {
      if (generation) await storeSummary(scope, generation, summary, replaced);
    },

    clear: async () => (profile ? clearProfile(scope, profile) : 0),
  };
}

/** Readers find nothing from the first write on. The next call completes an interrupted one. @returns the number of memories */
async function clearProfile(scope: Scope, known: Profile): Promise<number> {
  const { table } = scope;
  let memoryCount = 0;
  const profile = await table.modify(
    profileEntity,
    known,
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
    { consistent: true, conflictError: profileConflict },
  );
  for (const { generation, embeddingModel } of profile?.cleared ?? []) {
    await deleteGeneration(scope, { profileId: known.id, generation }, embeddingModel);
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
  const space = memorySpace(table.tenant, generation, embeddingModel);
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
    { consistent: true, conflictError: profileConflict },
  );
}

/** The memories that exist, in the order of the ids. */
async function memoriesByIds(
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
async function memoriesAfter(
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
  const memories = await memoriesByIds(scope, generation, [...numberOf.keys()]);
  return {
    memories: memories.map((memory) => ({ ...memory, number: numberOf.get(memory.id) ?? 0 })),
    through: numbers.at(-1)?.number ?? after,
  };
}

async function storedSummary(
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

const memorySpace = (
  tenant: string,
  { profileId, generation }: Generation,
  embeddingModel: string,
): MemorySpace => ({ tenant, embeddingModel, profile: `${profileId}.${generation}` });

export type NewMemory = Pick<StoredMemory, 'id' | 'text' | 'session'>;

/** Fifty runs may save for one profile at once. */
const attempts = 20;

const profileGeneration = ({ id, generation }: Profile): Generation => ({ profileId: id, generation });

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
    const known = isConditionFailed(error) ? await findProfile(scope, name) : undefined;
    if (known) return known;
    throw error;
  }
}

/** Unless the profile has it. @throws StepError if the profile is full, changed too often, or was cleared since the read. */
async function addMemory(scope: Scope, profile: Profile, memory: NewMemory): Promise<boolean> {
  const { table } = scope;
  const at = scope.now().toISOString();
  const generation = profileGeneration(profile);
  const item: StoredMemory = { ...generation, ...memory, createdAt: at };
  let isNew = true;
  await table.modify(
    profileEntity,
    profile,
    async (before) => {
      if (before.generation !== profile.generation) throw profileConflict();
      if (await table.get(memoryEntity, item, { consistent: true })) {
        isNew = false;
        return undefined;
      }
      if (before.memoryCount >= memoriesMax) throw full(profile);
      const number = before.memoryCount + 1;
      const order = { ...generation, number, memoryId: memory.id, session: memory.session };
      return {
        condition: isSame(before),
        put: { ...before, memoryCount: number, updatedAt: at },
        alsoWrite: [table.writes.insert(memoryEntity, item), table.writes.insert(memoryNumberEntity, order)],
      };
    },
    { known: profile, consistent: true, attempts, conflictError: profileConflict },
  );
  return isNew;
}

/** Revisions alone do not tell a profile from one that was cleared and used again: they begin anew. */
const isSame = ({ revision, generation }: Profile): WriteCondition => ({
  expression: '#revision = :seen AND #generation = :generation',
  values: { seen: revision, generation },
});

const profileConflict = () =>
  new StepError('The memory of the profile was changed by other runs at the same time', { retryable: true });

const full = ({ name }: Profile) =>
  new StepError(
    `The profile ${name} has ${memoriesMax} memories, which is the maximum; clear it with a step save-memory with clear`,
  );
