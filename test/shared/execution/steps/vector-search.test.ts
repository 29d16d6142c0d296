import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { vectorStore } from '../../../../shared/adapters/vectors/vector-store.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { liveModels } from '../../../support/models/model-ports.ts';
import { countingTable } from '../../../support/stack/stack.ts';
import { configProblems, runStep } from './run-step.ts';

const embeddingModel = 'generic-openai/embedder';
const vectors = vectorStore(countingTable(`user:${randomUUID()}`));
const texts = ['red apple pie', 'green apple tart', 'quarterly tax return'];

beforeAll(async () => {
  const made = await liveModels.embed({ model: embeddingModel, texts, signal: new AbortController().signal });
  const stored = texts.map((text, n) => ({
    id: `doc-${n}`,
    vector: made.vectors[n] ?? [],
    metadata: { text },
  }));
  await vectors.put('docs-en', stored);
  await vectors.put('plane', [
    { id: 'east', vector: [1, 0], metadata: {} },
    { id: 'north', vector: [0, 1], metadata: { up: true } },
    { id: 'west', vector: [-1, 0], metadata: {} },
  ]);
});

interface Hit {
  id: string;
  score: number;
  metadata: object;
}
async function search(config: object, variables: object = {}) {
  const outcome = await runStep('vector-search', config, {
    variables: { ...variables },
    ports: { embed: liveModels.embed, vectors },
  });
  return { ...outcome, output: outcome.output as Hit[] };
}

test('embeds a text and returns its nearest neighbours, nearest first, with the cost', async () => {
  const { output, ...used } = await search(
    { collection: 'docs-{{ lang }}', query: 'an {{ what }}', embeddingModel, limit: 2 },
    { lang: 'en', what: 'apple pie' },
  );
  expect(output.map(({ id }) => id)).toEqual(['doc-0', 'doc-1']);
  expect(output[0]).toMatchObject({ metadata: { text: 'red apple pie' } });
  expect(output[0]?.score).toBeGreaterThan(output[1]?.score ?? 1);
  expect(used).toEqual({
    modelUsed: embeddingModel,
    promptTokens: 3,
    completionTokens: 0,
    estimatedCost: null,
  });
});

test('searches for a vector from a variable without any model', async () => {
  const outcome = await search({ collection: 'plane', vectorVariable: 'at.here' }, { at: { here: [0, 2] } });
  expect(outcome).toEqual({
    output: [
      { id: 'north', score: 1, metadata: { up: true } },
      { id: 'east', score: 0, metadata: {} },
      { id: 'west', score: 0, metadata: {} },
    ],
  });
});

test('only returns scores above the threshold', async () => {
  const idsAbove = async (threshold: number) =>
    (await search({ collection: 'plane', vectorVariable: 'v', threshold }, { v: [1, 0] })).output.map(
      ({ id }) => id,
    );
  expect(await idsAbove(0.5)).toEqual(['east']);
  expect(await idsAbove(0)).toEqual(['east', 'north']);
  expect(await idsAbove(-1)).toEqual(['east', 'north', 'west']);
});

test('the default limit is ten', async () => {
  const many = Array.from({ length: 12 }, (_, n) => ({ id: `v${n}`, vector: [n + 1, 1], metadata: {} }));
  await vectors.put('twelve', many);
  expect((await search({ collection: 'twelve', vectorVariable: 'v' }, { v: [1, 1] })).output).toHaveLength(
    10,
  );
});

test('an unused collection returns nothing', async () => {
  expect((await search({ collection: 'none', vectorVariable: 'v' }, { v: [1] })).output).toEqual([]);
});

test.each([
  [{ vectorVariable: 'missing' }, {}, 'The variable missing is not set'],
  [{ vectorVariable: 'v' }, { v: 'text' }, 'v is not a vector: expected a list of numbers'],
  [{ vectorVariable: 'v' }, { v: [0, 0] }, 'v is all zeros'],
  [
    { vectorVariable: 'v' },
    { v: [1, 2, 3] },
    'The collection plane has vectors of 2 dimensions; this vector has 3',
  ],
  [{ query: '{{ missing }}', embeddingModel }, {}, 'The text to embed is empty'],
  [
    { query: 'x', embeddingModel },
    {},
    'The collection plane has vectors of 2 dimensions; this vector has 64',
  ],
  [{ query: 'x', embeddingModel: 'nowhere/m' }, {}, 'There is no model provider nowhere'],
  [{ collection: ' {{ missing }}', vectorVariable: 'v' }, { v: [1] }, 'A collection name has'],
])('%j with %j fails permanently', async (config, variables, message) => {
  const failure = await stepFailure(search({ collection: 'plane', ...config }, variables));
  expect(failure.message).toContain(message);
  expect(failure.retryable).toBe(false);
});

const collection = 'c';
test.each([
  [{ query: 'q', embeddingModel }, 'collection: Invalid input: expected string, received undefined'],
  [{ collection }, 'query: Give either query or vectorVariable'],
  [{ collection, query: 'q', vectorVariable: 'v' }, 'query: Give either query or vectorVariable'],
  [{ collection, query: 'q' }, 'embeddingModel: Required: expected the model that embeds the query'],
  [
    { collection, vectorVariable: 'v', embeddingModel },
    'embeddingModel: Give embeddingModel only with query; vectorVariable already names a vector',
  ],
  [{ collection, vectorVariable: 'v', limit: 101 }, expect.stringContaining('limit: ')],
  [{ collection, vectorVariable: 'v', limit: 0 }, expect.stringContaining('limit: ')],
  [{ collection, vectorVariable: 'v', threshold: 2 }, expect.stringContaining('threshold: ')],
  [{ collection, query: '{{ q', embeddingModel }, expect.stringContaining('query: ')],
  [{ collection, vectorVariable: 'v', filter: {} }, expect.stringContaining('filter')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('vector-search', config)).toEqual([problem]);
});
