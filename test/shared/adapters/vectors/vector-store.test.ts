import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, expect, test, vi } from 'vitest';
import type { StoredVector } from '../../../../shared/adapters/ports/vectors-port.ts';
import { vectorStore } from '../../../../shared/adapters/vectors/vector-store.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { countingTable } from '../../../support/stack/stack.ts';
import '../../../support/suite/fresh-modules.ts';

const store = () => vectorStore(countingTable(`user:${randomUUID()}`));
const stored = (id: string, vector: number[], metadata: StoredVector['metadata'] = {}) => ({
  id,
  vector,
  metadata,
});

beforeEach(() => {
  vi.unstubAllEnvs();
});

test('stored vectors are found, nearest first, with metadata and cosine score', async () => {
  const vectors = store();
  const metadata = { title: 'Ä "quoted" title', tags: ['a', { deep: [1, null] }], text: 'x'.repeat(30_000) };
  await vectors.put('docs', [stored('same', [3, 4], metadata), stored('across', [-4, 3])]);
  await vectors.put('docs', [stored('opposite', [-3, -4])]);
  const found = await vectors.query('docs', [0.6, 0.8], 10);
  expect(found.map(({ id }) => id)).toEqual(['same', 'across', 'opposite']);
  expect(found.map(({ score }) => Math.round(score * 1e6) / 1e6)).toEqual([1, 0, -1]);
  expect(found.map((hit) => hit.metadata)).toEqual([metadata, {}, {}]);
  expect(await vectors.query('docs', [1, 1], 1)).toHaveLength(1);
});

test('an unused collection is empty', async () => {
  expect(await store().query('none', [1, 2], 10)).toEqual([]);
  const vectors = store();
  await vectors.put('none', []);
  expect(await vectors.query('none', [1, 2], 10)).toEqual([]);
});

test('storing an id again replaces the vector and the metadata', async () => {
  const vectors = store();
  await vectors.put('docs', [stored('a', [1, 0], { n: 1 })]);
  await vectors.put('docs', [stored('a', [0, 1])]);
  expect(await vectors.query('docs', [0, 1], 10)).toEqual([{ id: 'a', score: 1, metadata: {} }]);
});

test('collections are separate per tenant and per name', async () => {
  const [one, other] = [store(), store()];
  await one.put('docs', [stored('mine', [1, 0])]);
  await one.put('Docs ✓', [stored('another', [1, 0, 0])]);
  expect(await other.query('docs', [1, 0], 10)).toEqual([]);
  expect((await one.query('docs', [1, 0], 10)).map(({ id }) => id)).toEqual(['mine']);
  expect((await one.query('Docs ✓', [1, 0, 0], 10)).map(({ id }) => id)).toEqual(['another']);
});

test.each(['', ':', '-', '_', '.', '~', '%', '*', "'", '('])(
  'tenant and collection names cannot collide at "%s"',
  async (between) => {
    const user = `user:${randomUUID()}`;
    await vectorStore(countingTable(user)).put(`b${between}c`, [stored('x', [1, 0])]);
    expect(await vectorStore(countingTable(`${user}${between}b`)).query('c', [1, 0], 10)).toEqual([]);
  },
);

test('more vectors than one request takes are all stored', async () => {
  const vectors = store();
  const many = Array.from({ length: 1_201 }, (_, n) => stored(`v${n}`, [n + 1, 1], { n }));
  await vectors.put('many', many);
  for (const { id, vector } of [many[0], many[600], many[1_200]].filter((each) => each !== undefined)) {
    expect((await vectors.query('many', vector, 1))[0]?.id).toBe(id);
  }
});

test('vectors so long that 500 exceed a request are all stored', async () => {
  const vectors = store();
  const long = (n: number) => Array.from({ length: 4_096 }, (_, at) => Math.sin(n * 4_096 + at));
  await vectors.put(
    'long',
    Array.from({ length: 300 }, (_, n) => stored(`v${n}`, long(n))),
  );
  expect((await vectors.query('long', long(299), 1))[0]?.id).toBe('v299');
});

test('steps that create the same collection concurrently both store their vectors', async () => {
  const vectors = store();
  await Promise.all(['a', 'b', 'c', 'd'].map((id) => vectors.put('race', [stored(id, [1, 0])])));
  expect(await vectors.query('race', [1, 0], 10)).toHaveLength(4);
});

test('vectors of another dimension are rejected with both numbers, for writes and queries', async () => {
  const vectors = store();
  await vectors.put('docs', [stored('a', [1, 2, 3])]);
  const message = 'The collection docs has vectors of 3 dimensions; this vector has 2';
  for (const attempt of [
    () => vectors.put('docs', [stored('b', [1, 2])]),
    () => vectors.query('docs', [1, 2], 5),
  ]) {
    expect(await stepFailure(attempt())).toMatchObject({ message, retryable: false });
  }
  expect((await stepFailure(vectors.put('new', [stored('a', [1, 2]), stored('b', [1])]))).message).toBe(
    'All vectors of a collection have the same dimension: a has 2, b has 1',
  );
});

test('more than 40,000 bytes of metadata are rejected before anything is stored', async () => {
  const vectors = store();
  const large = stored('large', [1, 0], { text: 'é'.repeat(20_000) });
  expect((await stepFailure(vectors.put('docs', [stored('small', [1, 0]), large]))).message).toBe(
    'The metadata of the vector large has 40011 bytes; the maximum is 40000',
  );
  expect(await vectors.query('docs', [1, 0], 10)).toEqual([]);
});

/** A store on a server that answers as it is told. The client of a process is made once, so this takes a new one. */
async function storeOn(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const { url } = await loopback(answer);
  vi.stubEnv('AWS_ENDPOINT_URL_S3VECTORS', url);
  vi.resetModules();
  const { vectorStore } = await import('../../../../shared/adapters/vectors/vector-store.ts');
  const { StepError } = await import('../../../../shared/core/errors/step-error.ts');
  return { vectors: vectorStore(countingTable('user:x')), StepError };
}

const refusal = (status: number, type: string) => (_: IncomingMessage, response: ServerResponse) =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
    .end('{"message":"Not now"}');

test.each([
  [429, 'TooManyRequestsException'],
  [503, 'ServiceUnavailableException'],
])('a store that keeps answering %i fails the step, which is retryable', async (status, type) => {
  const { vectors, StepError } = await storeOn(refusal(status, type));
  const failure = await vectors.query('docs', [1], 1).catch((error) => error);
  expect(failure).toBeInstanceOf(StepError);
  expect(failure).toMatchObject({
    message: `The vector store answered ${status}: Not now`,
    retryable: true,
  });
});

test('a missing permission for the store is an error of the deployment, not of the flow', async () => {
  const { vectors, StepError } = await storeOn(refusal(403, 'AccessDeniedException'));
  const failure = await vectors.query('docs', [1], 1).catch((error) => error);
  expect(failure).not.toBeInstanceOf(StepError);
  expect(failure.name).toBe('AccessDeniedException');
});

test('a tenant has at most 100 collections; those that it has still take vectors', async () => {
  const vectors = store();
  await Promise.all(Array.from({ length: 100 }, (_, n) => vectors.put(`c${n}`, [stored('a', [1, 0])])));
  const refused = await stepFailure(vectors.put('one more', [stored('a', [1, 0])]));
  expect(refused.message).toContain('409: the tenant has 100 collections, the maximum');
  expect(await vectors.query('one more', [1, 0], 1)).toEqual([]);
  await vectors.put('c7', [stored('b', [0, 1])]);
  expect((await vectors.query('c7', [0, 1], 1)).map(({ id }) => id)).toEqual(['b']);
  await store().put('of another tenant', [stored('a', [1, 0])]);
}, 60_000);
