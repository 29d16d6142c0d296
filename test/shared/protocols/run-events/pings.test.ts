import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { addPings } from '../../../../shared/platform/http/responses/streamed-body.ts';

async function* counting(count: number, everyMs = 0) {
  for (let n = 0; n < count; n++) {
    if (everyMs > 0) await sleep(everyMs);
    yield n;
  }
}

test('each silence has a ping, and events are neither lost nor reordered', async () => {
  const read = await Array.fromAsync(addPings(counting(3, 50), 20));
  expect(read.filter((event) => event !== 'ping')).toEqual([0, 1, 2]);
  expect(read[0]).toBe('ping');
  expect(read.filter((event) => event === 'ping').length).toBeGreaterThanOrEqual(3);
});

test('events without a silence between them have no pings and share one timer', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const read = await Array.fromAsync(addPings(counting(1_000), 60_000));
  expect(read).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  expect(timers).toHaveBeenCalledTimes(1);
});

test('an event that waits while the reader is slow comes before a ping', async () => {
  const events = addPings(counting(2), 20);
  expect((await events.next()).value).toBe(0);
  await sleep(60);
  expect((await events.next()).value).toBe(1);
  expect((await events.next()).done).toBe(true);
});

test('a failure of the source reaches the reader; a reader that leaves ends the source', async () => {
  async function* failing() {
    yield 1;
    throw new Error('broken');
  }
  const failed = addPings(failing(), 60_000);
  expect((await failed.next()).value).toBe(1);
  await expect(failed.next()).rejects.toThrow('broken');
  const ended = vi.fn();
  async function* endless() {
    try {
      for (;;) yield 1;
    } finally {
      ended();
    }
  }
  for await (const event of addPings(endless(), 60_000)) if (event === 1) break;
  expect(ended).toHaveBeenCalledOnce();
});
