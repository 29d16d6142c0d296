import type { TenantTable } from '../../platform/data/table.ts';
import type { VectorsPort } from '../ports/vectors-port.ts';
import { vectorIndex } from './vector-index.ts';
import {
  commonDimension,
  nearest,
  parseVectorMetadata,
  putBatch,
  putCreating,
  splitIntoRequests,
  toPutInput,
  translateVectorErrors,
} from './vector-requests.ts';

/** Concurrent requests of one step. S3 Vectors takes 2,500 vectors per second and index. */
const parallelMax = 4;

export const vectorStore = (table: TenantTable): VectorsPort => ({
  async put(collection, vectors) {
    const dimension = commonDimension(vectors);
    if (dimension === undefined) return;
    const index = vectorIndex(table.tenant, collection);
    const [first = [], ...rest] = splitIntoRequests(vectors.map(toPutInput));
    await translateVectorErrors({ index, collection, dimension }, async () => {
      // The first batch goes alone, since it may have to create the index.
      await putCreating(table, index, dimension, first);
      const left = rest.values();
      const worker = async () => {
        for (const batch of left) await putBatch(index, batch);
      };
      await Promise.all(Array.from({ length: parallelMax }, worker));
    });
  },

  async query(collection, vector, limit) {
    const index = vectorIndex(table.tenant, collection);
    const place = { index, collection, dimension: vector.length };
    const found = await translateVectorErrors(place, () => nearest(index, vector, limit));
    return found.map(({ key = '', distance = 1, metadata }) => ({
      id: key,
      // A distance is a 32-bit float and may slightly exceed the range of a cosine.
      score: Math.min(1, Math.max(-1, 1 - distance)),
      metadata: parseVectorMetadata(metadata),
    }));
  },
});
