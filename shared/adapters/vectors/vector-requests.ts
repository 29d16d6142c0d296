/**
 * The requests to S3 Vectors: puts and queries vectors, creates indexes on demand, and translates refusals into
 * messages for authors of flows.
 * An index is created by the first put that does not find it, after the tenant's share of the bucket's indexes was
 * counted; a query of a missing index finds nothing.
 * Metadata of memories is flat and filterable (`nearest`, `filter`), that of collections one text that is not.
 * `vector-store.ts` (collections of flows) and `memory-vectors.ts` (memories of agents, and their deletion) call it.
 */
import {
  ConflictException,
  CreateIndexCommand,
  GetIndexCommand,
  NotFoundException,
  type PutInputVector,
  PutVectorsCommand,
  QueryVectorsCommand,
  S3VectorsServiceException,
  ValidationException,
} from '@aws-sdk/client-s3vectors';
import * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { s3Vectors, type VectorIndex } from '../../platform/aws/s3-vectors.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { TenantTable } from '../../platform/data/table.ts';

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
    ...(filter && { filter: createEqualityFilter(filter) }),
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

const createEqualityFilter = (values: Readonly<Record<string, string>>) => ({
  $and: Object.entries(values).map(([name, value]) => ({ [name]: { $eq: value } })),
});

/** A bucket has at most 10,000 indexes, which all tenants share (D259). */
const indexesMax = 100;

/** The indexes that a tenant created: its collections, and one for the memories of each embedding model. */
const vectorIndexesEntity = defineEntity({
  type: 'vectorIndexes',
  schema: z.object({ names: z.array(z.string()), revision: z.int() }),
  key: () => ({ PK: tenantPartition('VECTORS'), SK: 'INDEXES' }),
});

/** Counts an index before it is created; once, however often it is asked. @throws StepError beyond the tenant's share. */
const claimIndex = (table: TenantTable, name: string): Promise<void> =>
  retryOnConflict(async () => {
    const stored = await table.get(vectorIndexesEntity, {}, { consistent: true });
    if (stored?.names.includes(name)) return;
    const names = [...(stored?.names ?? []), name];
    if (names.length > indexesMax) throw new StepError(tooMany);
    const write = stored
      ? table.writes.put(vectorIndexesEntity, { names, revision: stored.revision + 1 }, isUnchanged(stored))
      : table.writes.insert(vectorIndexesEntity, { names, revision: 1 });
    await table.commit([write]);
  });

const tooMany = `The vector store answered 409: the tenant has ${indexesMax} collections, the maximum, counting one for the memories of each embedding model. Store in one of them`;

/** Non-filterable: S3 Vectors limits filterable metadata to 2 KB without nesting, other metadata to 40 KB. */
export const metadataKey = 'json';

export function parseVectorMetadata(document: unknown): Record<string, unknown> {
  const json = (document as Record<string, string> | undefined)?.[metadataKey];
  return json === undefined ? {} : (parseExact(json) as Record<string, unknown>);
}

interface Place {
  index: VectorIndex;
  collection: string;
  /** Of the vectors in the request. */
  dimension: number;
}

/** Calls S3 Vectors and turns its rejections into messages for the step's author. @throws StepError */
export async function translateVectorErrors<T>(place: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof S3VectorsServiceException)) throw error;
    const { httpStatusCode: status = 0 } = error.$metadata;
    if (status === 429 || status >= 500) {
      throw new StepError(`The vector store answered ${status}: ${error.message}`, {
        retryable: true,
        cause: error,
      });
    }
    if (!(error instanceof ValidationException)) throw error;
    throw new StepError(
      (await findMismatch(place)) ?? `The vector store rejected the request: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

async function findMismatch({ index, collection, dimension }: Place): Promise<string | undefined> {
  const { index: existing } = await s3Vectors()
    .send(new GetIndexCommand({ ...index }))
    .catch(() => ({ index: undefined }));
  if (!existing || existing.dimension === dimension) return undefined;
  return `The collection ${collection} has vectors of ${existing.dimension} dimensions; this vector has ${dimension}`;
}
