import { createHash } from 'node:crypto';
import { DeleteVectorsCommand, NotFoundException } from '@aws-sdk/client-s3vectors';
import { toChunks } from '../../core/chunks.ts';
import { requireEnv } from '../../core/environment.ts';
import { s3Vectors, type VectorIndex } from '../../platform/aws/s3-vectors.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { parseVector } from './vector.ts';
import { nearest, putCreating, translateVectorErrors } from './vector-requests.ts';

/** Where the vectors of a profile are. A bucket has at most 10,000 indexes, so the profiles of a tenant share one. */
export interface MemorySpace {
  tenant: string;
  embeddingModel: string;
  profile: string;
}

const deleteMax = 500;

/** A model determines the dimension. The name differs from that of every collection. */
const indexOf = ({ tenant, embeddingModel }: MemorySpace): VectorIndex => ({
  vectorBucketName: requireEnv('VECTOR_BUCKET'),
  indexName: `memory-${createHash('sha256').update(`${tenant}\0${embeddingModel}`).digest('hex').slice(0, 48)}`,
});

/** @param session Absent if the memory belongs to none. @throws StepError */
export async function putMemory(
  table: TenantTable,
  space: MemorySpace,
  memory: { id: string; vector: readonly number[]; session: string | undefined },
): Promise<void> {
  const { profile, embeddingModel } = space;
  const { id, session } = memory;
  const float32 = parseVector(memory.vector, 'The embedding of the memory');
  const metadata = { profile, ...(session !== undefined && { session }) };
  const vector = { key: toMemoryKey(space, id), data: { float32 }, metadata };
  const place = {
    index: indexOf(space),
    collection: `of memories by ${embeddingModel}`,
    dimension: float32.length,
  };
  await translateVectorErrors(place, () => putCreating(table, place.index, float32.length, [vector]));
}

/** The ids of the nearest memories of the profile, nearest first. @throws StepError */
export async function nearestMemories(
  space: MemorySpace,
  query: { vector: readonly number[]; session: string | undefined; limit: number },
): Promise<string[]> {
  const { profile, embeddingModel } = space;
  const { session, limit } = query;
  const vector = parseVector(query.vector, 'The embedding of the query');
  const place = {
    index: indexOf(space),
    collection: `of memories by ${embeddingModel}`,
    dimension: vector.length,
  };
  const filter = { profile, ...(session !== undefined && { session }) };
  const found = await translateVectorErrors(place, () => nearest(place.index, vector, limit, filter));
  const prefix = toMemoryKey(space, '');
  return found.flatMap(({ key = '' }) => (key.startsWith(prefix) ? key.slice(prefix.length) : []));
}

/** Deletes memories, existing or not. @throws StepError */
export async function deleteMemories(space: MemorySpace, ids: readonly string[]): Promise<void> {
  const place = { index: indexOf(space), collection: `of memories by ${space.embeddingModel}`, dimension: 0 };
  for (const chunk of toChunks(ids, deleteMax)) {
    const keys = chunk.map((id) => toMemoryKey(space, id));
    await translateVectorErrors(place, async () => {
      try {
        await s3Vectors().send(new DeleteVectorsCommand({ ...place.index, keys }));
      } catch (error) {
        if (!(error instanceof NotFoundException)) throw error;
      }
    });
  }
}

const toMemoryKey = ({ profile }: MemorySpace, id: string) => `${profile}.${id}`;
