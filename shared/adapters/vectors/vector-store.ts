/**
 * The collections of flows: stores vectors with metadata, and finds the nearest.
 * Vectors of one put have the same dimension. They are split into requests by number and size; the first request goes
 * alone, since it may have to create the index, the others side by side. A put that fails halfway leaves what was stored,
 * and may be repeated: an id replaces its vector.
 * Metadata is one JSON text under a key that is not filterable, because filterable metadata is small and flat.
 */
import type { PutInputVector } from '@aws-sdk/client-s3vectors';
import { StepError } from '../../core/errors/step-error.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { StoredVector, VectorsPort } from '../ports/vectors-port.ts';
import { vectorIndex } from './vector-index.ts';
import {
  metadataKey,
  nearest,
  parseVectorMetadata,
  putBatch,
  putCreating,
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

const metadataBytesMax = 40_000;

const batchVectorsMax = 500;

/** Below the request limit of 20 MiB. */
const batchBytesMax = 16_000_000;

/** The size of a number in JSON, with its comma. */
const numberBytesMax = 26;

/** @throws StepError if the metadata is too large */
export function toPutInput({ id, vector, metadata }: StoredVector): PutInputVector {
  const json = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(json);
  if (bytes > metadataBytesMax) {
    throw new StepError(
      `The metadata of the vector ${id} has ${bytes} bytes; the maximum is ${metadataBytesMax}`,
    );
  }
  return { key: id, data: { float32: vector }, ...(json !== '{}' && { metadata: { [metadataKey]: json } }) };
}

/** The dimension of the vectors; undefined if there are none. @throws StepError if they differ */
export function commonDimension(vectors: readonly StoredVector[]): number | undefined {
  const [first] = vectors;
  const other = vectors.find(({ vector }) => vector.length !== first?.vector.length);
  if (!first || !other) return first?.vector.length;
  throw new StepError(
    `All vectors of a collection have the same dimension: ${first.id} has ${first.vector.length}, ${other.id} has ${other.vector.length}`,
  );
}

/** Splits the vectors into as few requests as possible. */
export function splitIntoRequests(records: readonly PutInputVector[]): PutInputVector[][] {
  const batches: PutInputVector[][] = [];
  let room = 0;
  for (const record of records) {
    const bytes = estimateBytes(record);
    const last = batches.at(-1);
    if (last && last.length < batchVectorsMax && bytes <= room) last.push(record);
    else {
      batches.push([record]);
      room = batchBytesMax;
    }
    room -= bytes;
  }
  return batches;
}

/** An upper bound: the exact size would take as long to compute as the request. */
const estimateBytes = ({ data, metadata }: PutInputVector) =>
  (data?.float32?.length ?? 0) * numberBytesMax +
  // The metadata's JSON is escaped once more.
  2 * Buffer.byteLength((metadata as Record<string, string> | undefined)?.[metadataKey] ?? '');
