import type { PutInputVector } from '@aws-sdk/client-s3vectors';
import { StepError } from '../../core/errors/step-error.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { StoredVector } from '../ports/vectors-port.ts';

/** Non-filterable: S3 Vectors limits filterable metadata to 2 KB without nesting, other metadata to 40 KB. */
export const metadataKey = 'json';
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

export function parseVectorMetadata(document: unknown): Record<string, unknown> {
  const json = (document as Record<string, string> | undefined)?.[metadataKey];
  return json === undefined ? {} : (parseExact(json) as Record<string, unknown>);
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
