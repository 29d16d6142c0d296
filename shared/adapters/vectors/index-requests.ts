import {
  ConflictException,
  CreateIndexCommand,
  NotFoundException,
  type PutInputVector,
  PutVectorsCommand,
  QueryVectorsCommand,
} from '@aws-sdk/client-s3vectors';
import { s3Vectors, type VectorIndex } from '../../platform/aws/s3-vectors.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { claimIndex } from './index-share.ts';
import { metadataKey } from './put-vectors.ts';

/** Puts a batch. Creates the index if it does not exist. @throws StepError if the tenant has too many. */
export async function putCreating(
  table: TenantTable,
  index: VectorIndex,
  dimension: number,
  vectors: PutInputVector[],
): Promise<void> {
  try {
    await putBatch(index, vectors);
  } catch (error) {
    if (!(error instanceof NotFoundException)) throw error;
    await claimIndex(table, index.indexName);
    await createIndex(index, dimension);
    await putBatch(index, vectors);
  }
}

export const putBatch = (index: VectorIndex, vectors: PutInputVector[]) =>
  s3Vectors().send(new PutVectorsCommand({ ...index, vectors }));

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

/** The nearest vectors, with distance and metadata; none if the index does not exist. @param filter On filterable metadata. */
export async function nearest(
  index: VectorIndex,
  vector: readonly number[],
  topK: number,
  filter?: Readonly<Record<string, string>>,
) {
  const command = new QueryVectorsCommand({
    ...index,
    topK,
    queryVector: { float32: [...vector] },
    ...(filter && { filter: equalTo(filter) }),
    returnDistance: true,
    returnMetadata: true,
  });
  try {
    const { vectors = [] } = await s3Vectors().send(command);
    return vectors;
  } catch (error) {
    // It has no vectors yet.
    if (error instanceof NotFoundException) return [];
    throw error;
  }
}

const equalTo = (values: Readonly<Record<string, string>>) => ({
  $and: Object.entries(values).map(([name, value]) => ({ [name]: { $eq: value } })),
});
