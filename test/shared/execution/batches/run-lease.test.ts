import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import {
  acquireRunLease,
  firstLeaseMs,
  releaseRunLeases,
} from '../../../../shared/execution/batches/run-lease.ts';
import { byClock, countingRuntime } from '../../../support/stack/stack.ts';

const start = Date.parse('2026-11-22T12:00:00Z');

/** A tenant whose clock a test sets, and deliveries of a run’s message. */
function leases() {
  const clock = { at: start };
  const scope = byClock(countingRuntime().scopeOf(`user:${randomUUID()}`), () => new Date(clock.at));
  const delivery = (runId: string, deliveries: number) => ({ runId, deliveries, firstAt: start });
  return {
    clock,
    scope,
    delivery,
    take: (runId: string, deliveries: number, untilMs: number) =>
      acquireRunLease(scope, delivery(runId, deliveries), clock.at + untilMs),
  };
}

test('a second delivery waits for the first, then holds the run itself', async () => {
  const { clock, take } = leases();
  const run = newId('exec');
  expect(await take(run, 1, 900_000)).toBeUndefined();
  clock.at += 60_000;
  expect(await take(run, 2, 900_000)).toBe(start + firstLeaseMs);
  clock.at = start + firstLeaseMs + 1;
  expect(await take(run, 2, 900_000)).toBeUndefined();
  expect(await take(run, 3, 900_000)).toBe(clock.at + 900_000);
});

test('a run that was given back can be taken at once', async () => {
  const { clock, scope, delivery, take } = leases();
  const run = newId('exec');
  await take(run, 1, 900_000);
  await releaseRunLeases(scope, [delivery(run, 1)]);
  clock.at += 5_000;
  expect(await take(run, 2, 900_000)).toBeUndefined();
});

test('an earlier delivery gives nothing back that a later one holds, but all the rest of its group', async () => {
  const { clock, scope, delivery, take } = leases();
  const [held, free] = [newId('exec'), newId('exec')];
  clock.at = start + firstLeaseMs + 1;
  await take(held, 2, 900_000);
  await releaseRunLeases(scope, [delivery(held, 1), delivery(free, 1)]);
  expect(await take(held, 3, 900_000)).toBe(clock.at + 900_000);
  clock.at = start + 1_000;
  expect(await take(free, 2, 900_000)).toBeUndefined();
});
