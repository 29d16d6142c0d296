import { randomUUID } from 'node:crypto';
import { deleteMemories } from '../../adapters/vectors/memory-vectors.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Generation, generationRange, memoryEntity, type Profile, profileEntity } from './memory.ts';
import { memorySpace } from './memory-space.ts';
import { isSame, profileConflict } from './profile-store.ts';

/** Readers find nothing from the first write on. The next call completes an interrupted one. @returns the number of memories */
export async function clearProfile(scope: Scope, known: Profile): Promise<number> {
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
