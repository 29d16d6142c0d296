import {
  ConflictException,
  CreateIndexCommand,
  NotFoundException,
  type PutInputVector,
  PutVectorsCommand,
  QueryVectorsCommand,
} from '@aws-sdk/client-s3vectors';
import { s3Vectors, type VectorIndex } from '../../platform/aws/s3-vectors.ts';
import type { VectorsPort } from '../ports.ts';
import { batchesOf, commonDimension, metadataFrom, metadataKey, putInputOf } from './put-vectors.ts';
import { withStepErrors } from './vector-error.ts';
import { indexOf } from './vector-index.ts';

/** Concurrent requests of one step. S3 Vectors takes 2,500 vectors per second and index. */
const parallelMax = 4;

/** A tenant's collections in S3 Vectors. */
export const vectorStore = (tenant: string): VectorsPort => ({
  async put(collection, vectors) {
    const dimension = commonDimension(vectors);
    if (dimension === undefined) return;
    const index = indexOf(tenant, collection);
    const [first = [], ...rest] = batchesOf(vectors.map(putInputOf));
    await withStepErrors({ index, collection, dimension }, async () => {
      // The first batch goes alone, since it may have to create the index.
      await putBatch(index, first).catch(async (error) => {
        if (!(error instanceof NotFoundException)) throw error;
        await createIndex(index, dimension);
        await putBatch(index, first);
      });
      const left = rest.values();
      const worker = async () => {
        for (const batch of left) await putBatch(index, batch);
      };
      await Promise.all(Array.from({ length: parallelMax }, worker));
    });
  },

  async query(collection, vector, limit) {
    const index = indexOf(tenant, collection);
    const place = { index, collection, dimension: vector.length };
    const found = await withStepErrors(place, () => nearest(index, vector, limit));
    return found.map(({ key = '', distance = 1, metadata }) => ({
      id: key,
      // A distance is a 32-bit float and may slightly exceed the range of a cosine.
      score: Math.min(1, Math.max(-1, 1 - distance)),
      metadata: metadataFrom(metadata),
    }));
  },
});

async function createIndex(index: VectorIndex, dimension: number): Promise<void> {
  const command = new CreateIndexCommand({
    ...index,
    dimension,
    dataType: 'float32',
    distanceMetric: 'cosine',
    metadataConfiguration: { nonFilterableMetadataKeys: [metadataKey] },
  });
  try {
    await s3Vectors().send(command);
  } catch (error) {
    // Another step has just created it.
    if (!(error instanceof ConflictException)) throw error;
  }
}

const putBatch = (index: VectorIndex, vectors: PutInputVector[]) =>
  s3Vectors().send(new PutVectorsCommand({ ...index, vectors }));

async function nearest(index: VectorIndex, vector: readonly number[], topK: number) {
  const command = new QueryVectorsCommand({
    ...index,
    topK,
    queryVector: { float32: [...vector] },
    returnDistance: true,
    returnMetadata: true,
  });
  try {
    const { vectors = [] } = await s3Vectors().send(command);
    return vectors;
  } catch (error) {
    // The collection has no vectors yet.
    if (error instanceof NotFoundException) return [];
    throw error;
  }
}
