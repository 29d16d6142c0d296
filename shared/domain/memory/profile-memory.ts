import type { ProfileMemory } from '../../adapters/ports/memory-port.ts';
import { deleteMemories, nearestMemories, putMemory } from '../../adapters/vectors/memory-vectors.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { clearProfile } from './clear-profile.ts';
import { type Profile, toMemoryId } from './memory.ts';
import { memorySpace } from './memory-space.ts';
import { addMemory, createProfile, findProfile, profileGeneration } from './profile-store.ts';
import { memoriesAfter, memoriesByIds, storedSummary, storeSummary } from './summaries.ts';

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
