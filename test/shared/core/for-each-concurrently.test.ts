import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';

const numbers = Array.from({ length: 20 }, (_, n) => n);

test('processes each item once, within the concurrency limit', async () => {
  const done: number[] = [];
  let working = 0;
  let most = 0;
  await forEachConcurrently(numbers, 3, async (n) => {
    most = Math.max(most, ++working);
    await setImmediate();
    working--;
    done.push(n);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual(numbers);
  expect(most).toBe(3);
});

test('after a failure it starts no more items, waits for those in progress and throws the first error', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = forEachConcurrently(numbers, 3, async (n) => {
    begun.push(n);
    if (n === 4) throw new Error('four');
    await setImmediate();
    await setImmediate();
    ended.push(n);
  });
  await expect(work).rejects.toThrow('four');
  expect(begun.length).toBeLessThan(8);
  expect(ended.toSorted()).toEqual(begun.filter((n) => n !== 4).toSorted());
});
