import { createHash } from 'node:crypto';
import { GetIndexCommand, NotFoundException } from '@aws-sdk/client-s3vectors';
import { requireEnv } from '../../core/environment.ts';
import { s3Vectors, type VectorIndex } from '../../platform/aws/s3-vectors.ts';

/** Whether a tenant's collection exists. Its first vector creates it. */
export async function hasIndex(tenant: string, collection: string): Promise<boolean> {
  try {
    await s3Vectors().send(new GetIndexCommand(vectorIndex(tenant, collection)));
    return true;
  } catch (error) {
    if (error instanceof NotFoundException) return false;
    throw error;
  }
}

/** Index names have at most 63 characters of a small alphabet; collection names may be anything. */
export const vectorIndex = (tenant: string, collection: string): VectorIndex => ({
  vectorBucketName: requireEnv('VECTOR_BUCKET'),
  indexName: createHash('sha256').update(`${tenant}\0${collection}`).digest('hex').slice(0, 48),
});
