import { beforeEach, expect, test, vi } from 'vitest';
import type { EmbeddingRequest } from '../../../../shared/adapters/ports/embedding-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { liveModels } from '../../../support/models/model-ports.ts';
import { modelServer } from '../../../support/models/model-server.ts';
import { loopback } from '../../../support/servers/loopback.ts';

const model = 'openai/text-embedding-3-small';
const embed = (texts: string[], more: Partial<EmbeddingRequest> = {}) =>
  liveModels.embed({ model, texts, signal: new AbortController().signal, ...more });

async function openai(options: Parameters<typeof modelServer>[0] = {}) {
  const server = await modelServer(options);
  vi.stubEnv('OPENAI_API_KEY', 'sk-very-secret');
  vi.stubEnv('OPENAI_BASE_URL', server.url);
  return server;
}

const cosine = (one: number[] = [], other: number[] = []) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

beforeEach(() => {
  vi.unstubAllEnvs();
});

test('one vector per text in order, counted and priced by the catalog', async () => {
  const server = await openai();
  const { vectors, ...used } = await embed(['a red apple', 'the red apple', 'quarterly tax return']);
  expect(used).toEqual({
    modelUsed: model,
    keySource: 'platform',
    promptTokens: 12,
    estimatedCost: '0.00000024',
  });
  expect(vectors.map(({ length }) => length)).toEqual([64, 64, 64]);
  const [apple, same, tax] = vectors;
  expect(cosine(apple, same)).toBeGreaterThan(cosine(apple, tax) + 0.3);
  expect(server.embeddings).toHaveLength(1);
});

test('a bare model id resolves to the provider that sells it', async () => {
  await openai();
  expect(await embed(['x'], { model: 'text-embedding-3-small' })).toMatchObject({ modelUsed: model });
});

test('a generic server embeds too; without a price the cost is unknown', async () => {
  const server = await modelServer();
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', server.url);
  const answer = await embed(['x'], { model: 'generic-openai/my-own' });
  expect(answer).toMatchObject({ modelUsed: 'generic-openai/my-own', promptTokens: 1, estimatedCost: null });
});

test('without a token count from the provider, tokens are 0 and the cost is unknown', async () => {
  await openai({ misbehave: 'no-usage' });
  expect(await embed(['x'])).toMatchObject({ promptTokens: 0, estimatedCost: null });
});

test('the numbers of a vector keep the precision of a 32-bit float', async () => {
  const values = [0.123456789123456, -1e-7, 0.30000001192092896];
  const server = await loopback((_request, response) => {
    const data = [{ object: 'embedding', index: 0, embedding: values }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data, model: 'm' }));
  });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', `${server.url}/v1`);
  const { vectors } = await embed(['x'], { model: 'generic-openai/m' });
  expect(vectors[0]?.map(Math.fround)).toEqual(values.map(Math.fround));
  expect(JSON.stringify(vectors[0])).toBe('[0.123456789,-1e-7,0.300000012]');
});

test('temporary errors of a provider are retried at most twice', async () => {
  // Its second request fails.
  const shaky = await openai({ failurePercent: 50, failureStatus: 429 });
  for (const text of ['x', 'y']) expect((await embed([text])).vectors).toHaveLength(1);
  expect(shaky.embeddings.map(({ input }) => input)).toEqual([['x'], ['y'], ['y']]);
  const down = await openai({ failurePercent: 100, failureStatus: 503 });
  expect(await stepFailure(embed(['x']))).toMatchObject({
    message: `${model} answered 503: The stand-in is configured to fail`,
    retryable: true,
  });
  expect(down.embeddings).toHaveLength(3);
});

test('an error never contains the key', async () => {
  await openai({ failurePercent: 100, failureStatus: 401, failureMessage: 'Wrong key sk-very-secret' });
  const failure = await stepFailure(embed(['x']));
  expect(failure).toMatchObject({ message: `${model} answered 401: Wrong key ***`, retryable: false });
});

test('an invalid response, or fewer vectors than texts, is an error', async () => {
  await openai({ misbehave: 'nonsense' });
  expect((await stepFailure(embed(['x']))).message).toContain('returned an unusable response');
  const server = await loopback((_request, response) => {
    const data = [{ object: 'embedding', index: 0, embedding: [1] }];
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data, model: 'm' }));
  });
  vi.stubEnv('OPENAI_BASE_URL', `${server.url}/v1`);
  expect((await stepFailure(embed(['x', 'y']))).message).toContain('returned an unusable response');
});

test('aborting a call ends it', async () => {
  await openai({ misbehave: 'hang' });
  const failure = await stepFailure(embed(['x'], { signal: AbortSignal.timeout(50) }));
  expect(failure.message).toBe(`${model} did not answer in time`);
});

test.each([
  [[], 'There is no text to embed'],
  [['a', ' \n'], 'Text 1 of those to embed is empty'],
  [[''], 'The text to embed is empty'],
  [Array(501).fill('x'), '501 texts are too many to embed in one step; the maximum is 500'],
  [['x'.repeat(100_001)], 'The text to embed has 100001 characters; the maximum is 100000'],
  [
    Array(21).fill('x'.repeat(100_000)),
    'The texts to embed have 2100000 characters; the maximum per step is 2000000',
  ],
])('%#: no texts, or too many, are not sent', async (texts, message) => {
  const server = await openai();
  expect(await stepFailure(embed(texts))).toMatchObject({ message, retryable: false });
  expect(server.embeddings).toHaveLength(0);
});

test('a provider without embeddings, and an unconfigured one, lead to an error that says so', async () => {
  vi.stubEnv('ANTHROPIC_API_KEY', 'k');
  const messageWith = async (name: string) => (await stepFailure(embed(['x'], { model: name }))).message;
  expect(await messageWith('anthropic/claude-sonnet-4-5')).toBe(
    'The model provider anthropic has no embeddings; use one of openai, google, bedrock, togetherai, mistral, generic-openai',
  );
  expect(await messageWith('openai/text-embedding-3-small')).toBe(
    'The model provider openai is not configured: store a key through POST /v1/provider-keys, or let the deployment set OPENAI_API_KEY',
  );
});

test.each([
  ['numbers that are not finite', '[[1e999, 1], [1, 1]]'],
  ['vectors of different lengths', '[[1, 2], [1]]'],
  ['no numbers', '[[], []]'],
  ['null in place of a number', '[[null, 1], [1, 1]]'],
])('a response with %s is invalid', async (_what, vectors) => {
  const server = await loopback((_request, response) => {
    const data = [...vectors.matchAll(/\[([^[\]]*)\]/g)].map(
      ([vector], index) => `{"object":"embedding","index":${index},"embedding":${vector}}`,
    );
    response.setHeader('content-type', 'application/json').end(`{"model":"m","data":[${data}]}`);
  });
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', `${server.url}/v1`);
  const failure = await stepFailure(embed(['x', 'y'], { model: 'generic-openai/m' }));
  expect(failure.message).toContain('generic-openai/m returned an unusable response');
});

test('impossible token counts are 0, and the cost is unknown', async () => {
  const server = await loopback((_request, response) => {
    const data = [{ object: 'embedding', index: 0, embedding: [1] }];
    const usage = { prompt_tokens: -1.5, total_tokens: -1.5 };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data, model: 'm', usage }));
  });
  vi.stubEnv('OPENAI_API_KEY', 'k');
  vi.stubEnv('OPENAI_BASE_URL', `${server.url}/v1`);
  expect(await embed(['x'])).toMatchObject({ promptTokens: 0, estimatedCost: null });
});
