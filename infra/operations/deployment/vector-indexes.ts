import { S3VectorsClient } from '@aws-sdk/client-s3vectors';
import { AwsClient } from 'aws4fetch';
import * as z from 'zod';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';
import { OperationError } from './operation.ts';

/** Below the rate that S3 Vectors allows. */
const concurrency = 5;
const timeoutMs = 20_000;

const Listed = z.object({
  indexes: z.array(z.object({ indexName: z.string() })).default([]),
  nextToken: z.string().optional(),
});
const Described = z.object({ index: z.object({ indexMode: z.string().optional() }) });

/** The vector bucket of a stack. */
export const vectorBucketIn = (resources: readonly { type: string; id: string }[]): string | undefined =>
  resources
    .find(({ type }) => type === 'AWS::S3Vectors::VectorBucket')
    ?.id.split('/')
    .at(-1);

/**
 * The indexes that apply filters during the search, so that they miss memories of a profile among many: those of
 * buckets from before 30 September 2026, until their mode is changed.
 */
export async function classicIndexes(vectorBucketName: string): Promise<string[]> {
  const request = await vectorRequests();
  const names: string[] = [];
  for (let nextToken: string | undefined, isLast = false; !isLast; isLast = nextToken === undefined) {
    const page = Listed.parse(await request('ListIndexes', { vectorBucketName, nextToken }));
    names.push(...page.indexes.map(({ indexName }) => indexName));
    nextToken = page.nextToken;
  }
  const classic: string[] = [];
  await forEachConcurrently(names, concurrency, async (indexName) => {
    const { index } = Described.parse(await request('GetIndex', { vectorBucketName, indexName }));
    if (index.indexMode === 'CLASSIC') classic.push(indexName);
  });
  return classic.sort();
}

/** Makes these indexes, and all that the bucket gets later, apply filters before the search. Takes effect in place. */
export async function enhanceIndexes(vectorBucketName: string, names: readonly string[]): Promise<void> {
  const request = await vectorRequests();
  await request('PutVectorBucketDefaultIndexMode', { vectorBucketName, defaultIndexMode: 'ENHANCED' });
  await forEachConcurrently(names, concurrency, async (indexName) => {
    await request('UpdateIndexMode', { vectorBucketName, indexName, indexMode: 'ENHANCED' });
  });
}

/** Without the SDK's commands: it has no modes of indexes yet (3.1137). */
async function vectorRequests() {
  const { config } = new S3VectorsClient({});
  const region = await config.region();
  const client = new AwsClient({ ...(await config.credentials()), service: 's3vectors', region, retries: 3 });
  const endpoint = process.env.AWS_ENDPOINT_URL_S3VECTORS ?? `https://s3vectors.${region}.api.aws`;
  return async (operation: string, input: object): Promise<unknown> => {
    const response = await client.fetch(`${endpoint}/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok)
      throw new OperationError(`S3 Vectors answered ${response.status} to ${operation}: ${text}`);
    return text ? JSON.parse(text) : {};
  };
}
