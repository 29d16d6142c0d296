import type { MemorySpace } from '../../adapters/vectors/memory-vectors.ts';
import type { Generation } from './memory.ts';

export const memorySpace = (
  tenant: string,
  { profileId, generation }: Generation,
  embeddingModel: string,
): MemorySpace => ({ tenant, embeddingModel, profile: `${profileId}.${generation}` });
