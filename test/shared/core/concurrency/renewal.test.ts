import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LeaseLost, startRenewal } from '../../../../shared/core/concurrency/renewal.ts';
import { logged } from '../../../support/data/log-lines.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const options = { everyMs: 1_000, failure: 'It could not be kept', about: { id: 'x' } };

test('a lease is renewed until it is stopped', async () => {
  const work = vi.fn(async () => {});
  const { stop, lost } = startRenewal(work, options);
  await vi.advanceTimersByTimeAsync(3_500);
  expect(work).toHaveBeenCalledTimes(3);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work).toHaveBeenCalledTimes(3);
  expect(lost.aborted).toBe(false);
});

test('a failure is logged, and the next time tries again', async () => {
  const work = vi.fn(async () => {}).mockRejectedValueOnce(new Error('throttled'));
  const { lines } = await logged(async () => {
    const { lost, stop } = startRenewal(work, options);
    await vi.advanceTimersByTimeAsync(2_000);
    stop();
    expect(lost.aborted).toBe(false);
  });
  expect(work).toHaveBeenCalledTimes(2);
  expect(lines).toEqual([expect.objectContaining({ message: 'It could not be kept', id: 'x' })]);
});

test.each([
  ['LeaseLost', new LeaseLost(), {}],
  ['an error that says so', new RangeError(), { isLoss: (error: unknown) => error instanceof RangeError }],
])('%s aborts what depends on the lease', async (_name, error, more) => {
  const { lost, stop } = startRenewal(() => Promise.reject(error), { ...options, ...more });
  await vi.advanceTimersByTimeAsync(1_000);
  stop();
  expect(lost.aborted).toBe(true);
});
