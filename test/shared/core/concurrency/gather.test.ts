import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { delayFlush, gatherCalls } from '../../../../shared/core/concurrency/gather.ts';

/** Doubles numbers, and notes which came together. @param release When the calls of it end. */
function doubler(release: () => Promise<void> = async () => {}) {
  const groups: (readonly number[])[] = [];
  const handle = (items: readonly number[]) => {
    groups.push(items);
    const released = release();
    return items.map(async (item) => {
      await released;
      if (item < 0) throw new Error(`${item} is negative`);
      return 2 * item;
    });
  };
  return { groups, handle };
}

test('calls of one turn of the event loop are handled together, and each gets its own answer', async () => {
  const { groups, handle } = doubler();
  const double = gatherCalls(handle);
  const first = [double(1), double(-2), double(3)];
  expect(await Promise.allSettled(first)).toMatchObject([
    { value: 2 },
    { reason: { message: '-2 is negative' } },
    { value: 6 },
  ]);
  expect(await double(4)).toBe(8);
  expect(groups).toEqual([[1, -2, 3], [4]]);
});

test('calls that come while others are handled do not wait for them, unless they take turns', async () => {
  for (const inTurn of [false, true]) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { groups, handle } = doubler(() => promise);
    const double = gatherCalls(handle, { inTurn });
    const answers = [double(1)];
    await nextTurn();
    for (const item of [2, -3]) {
      answers.push(double(item));
      await nextTurn();
    }
    expect(groups).toEqual(inTurn ? [[1]] : [[1], [2], [-3]]);
    resolve();
    await Promise.allSettled(answers);
    expect(groups).toEqual(inTurn ? [[1], [2, -3]] : [[1], [2], [-3]]);
    expect(await double(5)).toBe(10);
  }
});

test('a flush comes once after the first occasion, earlier if a later one asks for it, and not once stopped', async () => {
  const flush = vi.fn(async () => {
    throw new Error('is for the next flush to report');
  });
  const soon = delayFlush(flush);
  soon.start(3_600_000);
  soon.start(1);
  soon.start(3_600_000);
  await vi.waitFor(() => expect(flush).toHaveBeenCalledTimes(1));
  soon.start(5);
  soon.stop();
  await sleep(20);
  expect(flush).toHaveBeenCalledTimes(1);
  soon.start(1);
  await vi.waitFor(() => expect(flush).toHaveBeenCalledTimes(2));
});
