import { expect, test } from 'vitest';
import { makeRunMemory } from '../../../../infra/local/gateway/run-memory.ts';

const megabyte = 2 ** 20;

/** A heap of 100 MB, of which so many are held, and some more are garbage. */
function smallHeap({ held = 0, garbage = 0 } = {}) {
  const heap = { held: held * megabyte, garbage: garbage * megabyte, now: 0, collections: 0 };
  const begin = makeRunMemory(
    {
      limit: 100 * megabyte,
      used: () => heap.held + heap.garbage,
      collect: () => {
        heap.collections++;
        heap.garbage = 0;
      },
    },
    { now: () => heap.now },
  );
  const begun: (() => void)[] = [];
  const refused: unknown[] = [];
  return {
    heap,
    begun,
    refused,
    start: (count: number) => {
      for (let n = 0; n < count; n++)
        void begin().then(
          (end) => begun.push(end),
          (error) => refused.push(error),
        );
    },
  };
}

test('a burst begins as far as the heap takes what each run may grow to; the rest begins as they end, in order', async () => {
  const { begun, start } = smallHeap();
  start(40);
  await expect.poll(() => begun.length).toBe(6);
  for (const end of begun.slice(0, 5)) end();
  await expect.poll(() => begun.length).toBe(11);
});

test('runs that began five seconds ago are in the heap: others begin beside them while it has room', async () => {
  const { begun, start, heap } = smallHeap();
  start(40);
  await expect.poll(() => begun.length).toBe(6);
  Object.assign(heap, { now: 5_000, held: 20 * megabyte });
  await expect.poll(() => begun.length).toBe(10);
});

test('garbage holds nobody up', async () => {
  const { begun, start, heap } = smallHeap({ garbage: 90 });
  start(4);
  await expect.poll(() => begun.length).toBe(4);
  expect(heap.collections).toBe(1);
});

test('a run that finds no room for ten seconds is refused before it begins; one begins if no other runs', async () => {
  const { begun, refused, start, heap } = smallHeap({ held: 90 });
  start(2);
  await expect.poll(() => begun.length).toBe(1);
  heap.now = 9_000;
  expect(refused).toEqual([]);
  heap.now = 10_001;
  await expect.poll(() => refused).toMatchObject([{ code: 'BUSY', retryAfterSeconds: 10 }]);
  begun[0]?.();
  start(1);
  await expect.poll(() => begun.length).toBe(2);
});
