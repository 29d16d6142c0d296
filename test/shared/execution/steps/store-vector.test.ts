import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { StoredVector } from '../../../../shared/adapters/ports/vectors-port.ts';
import { vectorStore } from '../../../../shared/adapters/vectors/vector-store.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';
import { countingTable } from '../../../support/stack/stack.ts';
import { configProblems, runStep } from './run-step.ts';

/** Runs the step on what a variable holds. */
async function stored(source: unknown, config: object = {}) {
  const puts: { collection: string; vectors: readonly StoredVector[] }[] = [];
  const put = async (collection: string, vectors: readonly StoredVector[]) => {
    puts.push({ collection, vectors });
  };
  const { output } = await runStep(
    'store-vector',
    { vectorsSource: 'source', destination: 'docs', ...config },
    { variables: { source, name: 'notes' }, ports: { vectors: { ...emptyWorld.vectors, put } } },
  );
  return { output: output as { collection: string; count: number; ids: string[] }, puts };
}
const vectorsOf = async (source: unknown) => (await stored(source)).puts[0]?.vectors;

test('vectors are stored in S3 Vectors and found there', async () => {
  const vectors = vectorStore(countingTable(`user:${randomUUID()}`));
  const source = [
    { id: 'a', vector: [1, 0], metadata: { title: 'A' } },
    { id: 7, vector: [0, 1] },
  ];
  const { output } = await runStep(
    'store-vector',
    { vectorsSource: 'source', destination: 'docs-{{ lang }}', outputVariable: 'kept' },
    { variables: { source, lang: 'en' }, ports: { vectors } },
  );
  expect(output).toEqual({ collection: 'docs-en', count: 2, ids: ['a', '7'] });
  expect(await vectors.query('docs-en', [1, 0], 1)).toEqual([
    { id: 'a', score: 1, metadata: { title: 'A' } },
  ]);
});

test('accepts a vector, an object, and lists of either', async () => {
  const one = { id: expect.any(String), vector: [1, 2], metadata: {} };
  expect(await vectorsOf([1, 2])).toEqual([one]);
  expect(await vectorsOf([[1, 2]])).toEqual([one]);
  expect(await vectorsOf({ vector: [1, 2] })).toEqual([one]);
  expect(await vectorsOf([{ id: 'x', vector: [1, 2], metadata: { a: 1 } }, [3, 4]])).toEqual([
    { id: 'x', vector: [1, 2], metadata: { a: 1 } },
    { ...one, vector: [3, 4] },
  ]);
  expect(await vectorsOf([])).toEqual([]);
});

test('a vector without an id gets a derived one, so that a repeated step stores it once', async () => {
  const { output } = await stored([{ vector: [1, 2], metadata: { a: 1 } }, [1, 2]]);
  expect((await stored([{ vector: [1, 2], metadata: { a: 1 } }, [1, 2]])).output).toEqual(output);
  expect(new Set(output.ids).size).toBe(2);
});

test('of several vectors with one id the last one is stored', async () => {
  const { output, puts } = await stored([
    { id: 'a', vector: [1, 2] },
    { id: 'a', vector: [3, 4] },
  ]);
  expect(output).toEqual({ collection: 'docs', count: 1, ids: ['a'] });
  expect(puts[0]?.vectors).toEqual([{ id: 'a', vector: [3, 4], metadata: {} }]);
});

const huge = (length: number) => Array(length).fill(1);
test.each([
  [undefined, 'The variable source is not set'],
  [null, 'The variable source is not set'],
  ['[1,2]', 'source: expected a vector, or an object {id?, vector, metadata?}.'],
  [{ id: 'a' }, 'source.vector is not a vector: expected a list of numbers'],
  [{ vector: [] }, 'source.vector is not a vector: expected a list of numbers'],
  [
    [
      [1, 2],
      [1, '2'],
    ],
    'source[1] is not a vector: expected a list of numbers',
  ],
  [[[1, Number.NaN]], 'source[0] is not a vector: expected a list of numbers'],
  [[[1, 1e300]], 'source[0] is not a vector: expected a list of numbers'],
  [[0, 0], 'source is all zeros, so it has no direction to compare'],
  [[1e-60, 0], 'source is all zeros, so it has no direction to compare'],
  [huge(4_097), 'source has 4097 dimensions; the maximum is 4096'],
  [Array(10_001).fill([1]), 'source contains 10001 vectors; the maximum is 10000 per step'],
  [[{ id: '', vector: [1] }], 'source[0].id: expected a vector'],
  [[{ id: 'i'.repeat(1_025), vector: [1] }], 'source[0].id: expected a vector'],
  [[{ vector: [1], metadata: 'text' }], 'source[0].metadata: expected a vector'],
  [[{ vector: [1] }, 'text'], 'source[1]: expected a vector'],
])('%#: an invalid vector fails permanently and stores nothing', async (source, message) => {
  const failure = await stepFailure(stored(source));
  expect(failure.message).toContain(message);
  expect(failure.retryable).toBe(false);
});

test.each([
  ['{{ missing }} ', 'A collection name has 1 to 255 characters; this one has 0'],
  [`{{ name }}${'x'.repeat(255)}`, 'A collection name has 1 to 255 characters; this one has 260'],
])('%#: an empty or overlong name is not a collection', async (destination, message) => {
  expect((await stepFailure(stored([1], { destination }))).message).toBe(message);
});

test.each([
  [{ destination: 'd' }, 'vectorsSource: Invalid input: expected string, received undefined'],
  [{ vectorsSource: 'v' }, 'destination: Invalid input: expected string, received undefined'],
  [{ vectorsSource: 'v', destination: '' }, expect.stringContaining('destination: ')],
  [{ vectorsSource: 'v', destination: '{{ a' }, expect.stringContaining('destination: ')],
  [{ vectorsSource: '{{ v }}', destination: 'd' }, expect.stringContaining('vectorsSource: ')],
  [{ vectorsSource: 'v', destination: 'd', tenant: 'x' }, expect.stringContaining('tenant')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('store-vector', config)).toEqual([problem]);
});
