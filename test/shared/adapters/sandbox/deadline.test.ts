import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDeadline } from '../../../../shared/adapters/sandbox/pool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A deadline of tasks with a limit of 100 ms: 3.2 s by the clock. */
function opened() {
  const current = new Int32Array(new SharedArrayBuffer(4));
  const deadline = openDeadline(current, 100);
  deadline.begin();
  return { current, aborted: () => deadline.signal.aborted, end: deadline.end };
}

test('a task has its whole time, however long its thread took to start', () => {
  const { current, aborted } = opened();
  vi.advanceTimersByTime(4_999);
  Atomics.store(current, 0, 1);
  vi.advanceTimersByTime(3_200);
  expect(aborted()).toBe(false);
  vi.advanceTimersByTime(501);
  expect(aborted()).toBe(true);
});

test('each task of a request has its own time', () => {
  const { current, aborted } = opened();
  for (let task = 1; task <= 10; task++) {
    Atomics.store(current, 0, task);
    vi.advanceTimersByTime(3_000);
  }
  expect(aborted()).toBe(false);
});

test('a thread that does not start ends too, unless the deadline ended', () => {
  const [slow, done] = [opened(), opened()];
  vi.advanceTimersByTime(16_000);
  expect(slow.aborted()).toBe(false);
  done.end();
  vi.advanceTimersByTime(1_000);
  expect([slow.aborted(), done.aborted()]).toEqual([true, false]);
});
