import type { PutInputVector } from '@aws-sdk/client-s3vectors';
import { StepError } from '../../core/step-error.ts';
import type { StoredVector } from '../ports.ts';

/**
 * All metadata of a vector are one JSON text under this key, which cannot be filtered by: of those that can,
 * S3 Vectors takes 2 KB without nesting, of the others 40 KB.
 */
export const metadataKey = 'json';
const metadataBytesMax = 40_000;

const batchVectorsMax = 500;
/** A request may have 20 MiB. */
const batchBytesMax = 16_000_000;
/** What a number takes in JSON, with its comma. */
const numberBytesMax = 26;

/** @throws StepError when there are too many metadata */
export function putInputOf({ id, vector, metadata }: StoredVector): PutInputVector {
  const json = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(json);
  if (bytes > metadataBytesMax) {
    throw new StepError(
      `The metadata of the vector ${id} has ${bytes} bytes; ${metadataBytesMax} are the most`,
    );
  }
  return { key: id, data: { float32: vector }, ...(json !== '{}' && { metadata: { [metadataKey]: json } }) };
}

export function metadataFrom(document: unknown): Record<string, unknown> {
  const json = (document as Record<string, string> | undefined)?.[metadataKey];
  return json === undefined ? {} : JSON.parse(json);
}

/** The dimension of some vectors, if there are any. @throws StepError when they differ */
export function commonDimension(vectors: readonly StoredVector[]): number | undefined {
  const [first] = vectors;
  const other = vectors.find(({ vector }) => vector.length !== first?.vector.length);
  if (!first || !other) return first?.vector.length;
  throw new StepError(
    `Vectors of one collection have one dimension: ${first.id} has ${first.vector.length}, ${other.id} has ${other.vector.length}`,
  );
}

/** As few requests as they fit. */
export function batchesOf(records: readonly PutInputVector[]): PutInputVector[][] {
  const batches: PutInputVector[][] = [];
  let room = 0;
  for (const record of records) {
    const bytes = bytesOf(record);
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

/** A bound: the exact size would take as long to find out as the request itself. */
const bytesOf = ({ data, metadata }: PutInputVector) =>
  (data?.float32?.length ?? 0) * numberBytesMax +
  // Quotes and backslashes of the metadata's JSON are escaped once more.
  2 * Buffer.byteLength((metadata as Record<string, string> | undefined)?.[metadataKey] ?? '');
