import { expect, test } from 'vitest';
import { textHasTooManyValues, valueCounter } from '../../../shared/core/json/value-count.ts';

const object = (members: number) =>
  `{${Array.from({ length: members }, (_each, at) => `"k${at}":0`).join(',')}}`;
const list = (...items: string[]) => `[${items.join(',')}]`;

test('large objects have at most 30,000 members together, and small ones any number', () => {
  expect(textHasTooManyValues(object(30_000))).toBe(false);
  expect(textHasTooManyValues(object(30_001))).toBe(true);
  expect(textHasTooManyValues(list(object(15_000), object(15_000)))).toBe(false);
  expect(textHasTooManyValues(list(object(15_001), object(15_000)))).toBe(true);
  expect(textHasTooManyValues(list(...Array(90).fill(object(1_000))))).toBe(false);
});

test('values are counted in bytes as they come, whatever strings contain', () => {
  const text = String.raw`{"a,[{":["\\\",",{}],"é\\":[]}`;
  const bytes = Buffer.from(text);
  for (let at = 0; at <= bytes.length; at++) {
    const count = valueCounter();
    count(bytes.subarray(0, at));
    expect(count(bytes.subarray(at)), `${at}`).toBe(6);
  }
});

test('of a stream the line with the most values counts', () => {
  const count = valueCounter(true);
  expect(count(Buffer.from('data: [0,0,0]\n"data: [0,'))).toBe(3);
  expect(count(Buffer.from('0]\n[0,0,0,0]'))).toBe(4);
});
