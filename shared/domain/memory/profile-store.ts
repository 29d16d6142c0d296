import { randomUUID } from 'node:crypto';
import { StepError } from '../../core/errors/step-error.ts';
import { isConditionFailed } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { WriteCondition } from '../../platform/data/writes.ts';
import { memoriesMax } from './limits.ts';
import {
  type Generation,
  memoryEntity,
  memoryNumberEntity,
  type Profile,
  profileEntity,
  type StoredMemory,
  toProfileId,
} from './memory.ts';

export type NewMemory = Pick<StoredMemory, 'id' | 'text' | 'session'>;

/** Fifty runs may save for one profile at once. */
const attempts = 20;

export const profileGeneration = ({ id, generation }: Profile): Generation => ({ profileId: id, generation });

/** Reads a profile, as the last writer left it. */
export const findProfile = ({ table }: Scope, name: string): Promise<Profile | undefined> =>
  table.get(profileEntity, { id: toProfileId(name) }, { consistent: true });

/** Creates a profile unless another run did. @returns the stored one */
export async function createProfile(scope: Scope, name: string, embeddingModel: string): Promise<Profile> {
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
export async function addMemory(scope: Scope, profile: Profile, memory: NewMemory): Promise<boolean> {
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
export const isSame = ({ revision, generation }: Profile): WriteCondition => ({
  expression: '#revision = :seen AND #generation = :generation',
  values: { seen: revision, generation },
});

export const profileConflict = () =>
  new StepError('The memory of the profile was changed by other runs at the same time', { retryable: true });

const full = ({ name }: Profile) =>
  new StepError(
    `The profile ${name} has ${memoriesMax} memories, which is the maximum; clear it with a step save-memory with clear`,
  );
