import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ConflictException,
  CreateIndexCommand,
  type CreateIndexCommandInput,
  CreateVectorBucketCommand,
  DeleteIndexCommand,
  DeleteVectorsCommand,
  GetIndexCommand,
  GetVectorsCommand,
  ListVectorsCommand,
  NotFoundException,
  PutVectorsCommand,
  QueryVectorsCommand,
  type QueryVectorsCommandInput,
  S3VectorsClient,
  ValidationException,
} from '@aws-sdk/client-s3vectors';
import { expect, onTestFinished, test } from 'vitest';
import { startVectorsServer } from '../../../../infra/local/s3-vectors/server.ts';
import '../../../support/stack/stack.ts';

const index = { vectorBucketName: 'bucket', indexName: 'index' };
const made = { ...index, dimension: 2, dataType: 'float32', distanceMetric: 'cosine' } as const;

async function server(directory?: string) {
  const { endpoint, stop } = await startVectorsServer(directory, ['bucket']);
  onTestFinished(stop);
  return { client: new S3VectorsClient({ endpoint }), endpoint };
}

async function withIndex(settings: Partial<CreateIndexCommandInput> = {}) {
  const { client } = await server();
  await client.send(new CreateIndexCommand({ ...made, ...settings }));
  return client;
}

const vector = (key: string, ...float32: number[]) => ({ key, data: { float32 } });
const put = (client: S3VectorsClient, ...vectors: ReturnType<typeof vector>[]) =>
  client.send(new PutVectorsCommand({ ...index, vectors }));

async function nearest(
  client: S3VectorsClient,
  float32: number[],
  more: Partial<QueryVectorsCommandInput> = {},
) {
  const { vectors } = await client.send(
    new QueryVectorsCommand({ ...index, topK: 10, queryVector: { float32 }, ...more }),
  );
  return vectors ?? [];
}
const keysOf = (vectors: { key: string | undefined }[] = []) => vectors.map(({ key }) => key);

test('a query returns the nearest vectors first, with distances and metadata on request', async () => {
  const client = await withIndex();
  await client.send(
    new PutVectorsCommand({
      ...index,
      vectors: [
        { ...vector('east', 5, 0), metadata: { side: 'right' } },
        vector('north', 0, 1),
        vector('west', -1, 0),
      ],
    }),
  );
  expect(await nearest(client, [1, 0.1])).toEqual([{ key: 'east' }, { key: 'north' }, { key: 'west' }]);
  const [first, , last] = await nearest(client, [2, 0], { returnDistance: true, returnMetadata: true });
  expect(first).toEqual({ key: 'east', distance: 0, metadata: { side: 'right' } });
  expect(last).toEqual({ key: 'west', distance: 2 });
  expect(keysOf(await nearest(client, [0, 1], { topK: 1 }))).toEqual(['north']);
});

test('a filter admits only vectors whose filterable metadata has all of its values', async () => {
  const client = await withIndex({ metadataConfiguration: { nonFilterableMetadataKeys: ['note'] } });
  const owned = (key: string, x: number, metadata: object) => ({ ...vector(key, x, 1), metadata });
  await client.send(
    new PutVectorsCommand({
      ...index,
      vectors: [
        owned('ada-1', 9, { owner: 'ada', room: 1, note: 'x' }),
        owned('bob-1', 9, { owner: 'bob', room: 1 }),
        owned('ada-2', 0, { owner: 'ada', room: 2 }),
        vector('nobody', 9, 1),
      ],
    }),
  );
  const having = async (...conditions: Record<string, { $eq: string | number }>[]) =>
    keysOf(await nearest(client, [9, 1], { filter: { $and: conditions } }));
  expect(await having({ owner: { $eq: 'ada' } })).toEqual(['ada-1', 'ada-2']);
  expect(await having({ owner: { $eq: 'ada' } }, { room: { $eq: 2 } })).toEqual(['ada-2']);
  expect(await having({ owner: { $eq: 'nobody' } })).toEqual([]);
  await expect(having({ note: { $eq: 'x' } })).rejects.toThrow(ValidationException);
});

test('a query ranks like an exact search, also after the storage grows', async () => {
  const dimension = 7;
  const client = await withIndex({ dimension });
  const random = () => Array.from({ length: dimension }, () => Math.random() - 0.5);
  const all = Array.from({ length: 400 }, (_, n) => vector(`v${n}`, ...random()));
  await put(client, ...all);
  const wanted = random();
  const cosine = (one: number[]) => {
    const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
    return dot(one, wanted) / Math.hypot(...one) / Math.hypot(...wanted);
  };
  const ranked = all.toSorted((one, other) => cosine(other.data.float32) - cosine(one.data.float32));
  const found = await nearest(client, wanted, { topK: 25, returnDistance: true });
  expect(keysOf(found)).toEqual(keysOf(ranked.slice(0, 25)));
  for (const [at, { distance }] of found.entries()) {
    expect(distance).toBeCloseTo(1 - cosine(ranked[at]?.data.float32 ?? []), 5);
  }
});

test('a vector with the same key replaces the first one; a deleted one is not found', async () => {
  const client = await withIndex();
  await put(client, vector('a', 1, 0), vector('b', 0, 1), vector('c', 1, 1));
  await put(client, vector('a', -1, 0));
  expect(keysOf(await nearest(client, [1, 0]))).toEqual(['c', 'b', 'a']);
  await client.send(new DeleteVectorsCommand({ ...index, keys: ['b', 'unknown'] }));
  expect(keysOf(await nearest(client, [1, 0]))).toEqual(['c', 'a']);
  await put(client, vector('b', 0, 1));
  expect(keysOf(await nearest(client, [1, 0]))).toEqual(['c', 'b', 'a']);
});

test('vectors are read by key and listed in pages, as 32-bit floats', async () => {
  const client = await withIndex();
  await put(client, vector('a', 0.1, 2), vector('b', 3, 4), vector('c', 5, 6));
  const { vectors } = await client.send(
    new GetVectorsCommand({ ...index, keys: ['b', 'a', 'none'], returnData: true }),
  );
  expect(vectors).toEqual([vector('b', 3, 4), vector('a', Math.fround(0.1), 2)]);
  const first = await client.send(new ListVectorsCommand({ ...index, maxResults: 2 }));
  expect(keysOf(first.vectors)).toEqual(['a', 'b']);
  const second = await client.send(
    new ListVectorsCommand({ ...index, maxResults: 2, nextToken: first.nextToken }),
  );
  expect([keysOf(second.vectors), second.nextToken]).toEqual([['c'], undefined]);
});

test('an index returns its description, and deleting it deletes its vectors', async () => {
  const client = await withIndex({ metadataConfiguration: { nonFilterableMetadataKeys: ['json'] } });
  expect((await client.send(new GetIndexCommand(index))).index).toMatchObject({
    ...made,
    indexArn: 'arn:aws:s3vectors:us-east-1:000000000000:bucket/bucket/index/index',
    metadataConfiguration: { nonFilterableMetadataKeys: ['json'] },
    creationTime: expect.any(Date),
  });
  await put(client, vector('a', 1, 0));
  await client.send(new DeleteIndexCommand(index));
  await client.send(new CreateIndexCommand(made));
  expect(await nearest(client, [1, 0])).toEqual([]);
});

test('missing and already existing resources are rejected with AWS error types', async () => {
  const { client } = await server();
  const elsewhere = { ...made, vectorBucketName: 'elsewhere' };
  await expect(client.send(new CreateIndexCommand(elsewhere))).rejects.toThrow(NotFoundException);
  for (const command of [
    new GetIndexCommand(index),
    new DeleteIndexCommand(index),
    new PutVectorsCommand({ ...index, vectors: [vector('a', 1, 0)] }),
    new GetVectorsCommand({ ...index, keys: ['a'] }),
    new DeleteVectorsCommand({ ...index, keys: ['a'] }),
    new ListVectorsCommand(index),
    new QueryVectorsCommand({ ...index, topK: 1, queryVector: { float32: [1, 0] } }),
  ]) {
    await expect(client.send(command as GetIndexCommand)).rejects.toThrow(NotFoundException);
  }
  await client.send(new CreateIndexCommand(made));
  await expect(client.send(new CreateIndexCommand(made))).rejects.toThrow(ConflictException);
  const bucket = new CreateVectorBucketCommand({ vectorBucketName: 'bucket' });
  await expect(client.send(bucket)).rejects.toThrow(ConflictException);
});

test.each([
  ['a vector of another dimension', [vector('a', 1, 2, 3)]],
  ['a vector of zeros', [vector('a', 0, 0)]],
  ['a number too large for 32 bits', [vector('a', 1e300, 0)]],
  ['an empty key', [vector('', 1, 0)]],
  ['a key of 1,025 characters', [vector('k'.repeat(1_025), 1, 0)]],
  ['501 vectors', Array.from({ length: 501 }, (_, n) => vector(`v${n}`, 1, 0))],
  ['no vectors', []],
  ['more than 2 KB to filter by', [{ ...vector('a', 1, 0), metadata: { text: 'x'.repeat(2_049) } }]],
  ['more than 40 KB of metadata', [{ ...vector('a', 1, 0), metadata: { json: 'x'.repeat(41_000) } }]],
])('%s is a ValidationException, and nothing of the request is stored', async (_, vectors) => {
  const client = await withIndex({ metadataConfiguration: { nonFilterableMetadataKeys: ['json'] } });
  const sent = vectors.length > 0 ? [vector('good', 1, 0), ...vectors] : [];
  await expect(put(client, ...sent)).rejects.toThrow(ValidationException);
  expect(await nearest(client, [1, 0])).toEqual([]);
});

test.each([
  ['another dimension', { queryVector: { float32: [1] } }],
  ['no direction', { queryVector: { float32: [0, 0] } }],
  ['more than 100 results', { topK: 101 }],
  ['a filter, which is not offered here', { filter: { side: 'right' } }],
])('a query with %s is a ValidationException', async (_, more) => {
  const client = await withIndex();
  await expect(nearest(client, [1, 0], more)).rejects.toThrow(ValidationException);
});

test('buckets, indexes and vectors survive a crash', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vectors-'));
  // Never stopped, and so as it is after kill -9.
  const { client: crashed } = await server(directory);
  await crashed.send(new CreateIndexCommand(made));
  const vectors = [{ ...vector('a', 1, 0), metadata: { n: 1 } }, vector('b', 0, 1)];
  await put(crashed, ...vectors);
  await crashed.send(new DeleteVectorsCommand({ ...index, keys: ['b'] }));
  const { client } = await server(directory);
  expect(await nearest(client, [1, 0], { returnMetadata: true })).toEqual([{ key: 'a', metadata: { n: 1 } }]);
  await put(client, vector('b', 1, 0.1));
  expect(keysOf(await nearest(client, [1, 0]))).toEqual(['a', 'b']);
});

test('an unknown operation is rejected by name', async () => {
  const { endpoint } = await server();
  const response = await fetch(`${endpoint}/ListVectorBuckets`, { method: 'POST', body: '{}' });
  expect([response.status, await response.json()]).toEqual([
    404,
    { message: 'This stand-in does not implement the operation: ListVectorBuckets' },
  ]);
});
