import { expect, test } from 'vitest';
import { toEmbeddings } from '../../examples/embeddings.ts';

const vectorOf = (input: string, dimensions?: number) =>
  toEmbeddings({ model: 'any', input, ...(dimensions && { dimensions }) })[0]?.embedding as number[];
const cosine = (one: string, other: string) => {
  const [a, b] = [vectorOf(one), vectorOf(other)];
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
};

test('a text always has the same vector, of length 1 and the requested dimension', () => {
  expect(vectorOf('Hello world')).toEqual(vectorOf('Hello world'));
  expect(vectorOf('Hello world')).toHaveLength(64);
  expect(vectorOf('Hello world', 1_536)).toHaveLength(1_536);
  for (const text of ['Hello world', '…', '', 'a a a b']) {
    expect(Math.hypot(...vectorOf(text))).toBeCloseTo(1, 5);
  }
});

test('texts that share more words are closer', () => {
  const near = cosine('the red apple on the tree', 'a red apple under the tree');
  expect(cosine('Red Apple', 'red apple!')).toBeCloseTo(1, 5);
  expect(near).toBeGreaterThan(cosine('the red apple on the tree', 'quarterly tax return forms'));
});

test('base64 contains the same numbers as 32-bit floats', () => {
  const [encoded] = toEmbeddings({ model: 'any', input: ['x y'], encoding_format: 'base64' });
  const bytes = Uint8Array.from(Buffer.from(String(encoded?.embedding), 'base64'));
  expect([...new Float32Array(bytes.buffer)]).toEqual(vectorOf('x y'));
});
