import { expect, test } from 'vitest';
import { actOnEach } from '../../../../../console/src/ui/selection/act-on-all.ts';

const rows = Array.from({ length: 40 }, (_, place) => place);
const control = (controller = new AbortController()) => {
  const done: number[] = [];
  return { signal: controller.signal, onDone: (now: number) => done.push(now), done };
};

test('acts on every row once, on five at most at a time, and counts those that are done', async () => {
  const acted: number[] = [];
  let now = 0;
  let most = 0;
  const shown = control();
  const failed = await actOnEach(async (row: number) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 1));
    acted.push(row);
    now--;
  })(rows, shown);
  expect(most).toBe(5);
  expect(acted.toSorted((a, b) => a - b)).toEqual(rows);
  expect(shown.done).toEqual(rows.map((row) => row + 1));
  expect(failed).toEqual([]);
});

test('returns those that failed with their errors, and goes on with the others', async () => {
  const error = new Error('In use');
  const shown = control();
  const failed = await actOnEach(async (row: number) => {
    if (row % 20 === 3) throw error;
  })(rows, shown);
  expect(failed).toEqual([
    { row: 3, error },
    { row: 23, error },
  ]);
  expect(shown.done.at(-1)).toBe(38);
});

test('begins nothing after an abort', async () => {
  const controller = new AbortController();
  const acted: number[] = [];
  await actOnEach(async (row: number) => {
    acted.push(row);
    if (acted.length === 7) controller.abort();
  })(rows, control(controller));
  expect(acted.length).toBeLessThan(12);
});
