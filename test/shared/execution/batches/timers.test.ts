import { afterEach, expect, test, vi } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import type { RunMessage } from '../../../../shared/execution/batches/run-message.ts';
import type { TimerMessage } from '../../../../shared/execution/batches/run-timer.ts';
import { fireTimer, scheduleTimer } from '../../../../shared/execution/batches/run-timer.ts';
import { queueOfItsOwn } from '../../../support/data/queues.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { byClock, countingRuntime } from '../../../support/stack/stack.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const start = Date.parse('2026-03-01T12:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1_000);

function world() {
  const tenant = `user:${newId('key')}`;
  const scope = byClock(countingRuntime().scopeOf(tenant), () => at(0));
  const ids = { batchId: newId('batch'), flowId: newId('flow'), recordId: null, runId: newId('exec') };
  const run: RunMessage = { tenant, ...ids, slot: 3 };
  return { scope, run };
}

test('a timer of up to 15 minutes is an SQS delay, and timers are numbered', async () => {
  const { scope, run } = world();
  const sent = await silentQueue<TimerMessage>('WAKES_QUEUE_URL');
  await scheduleTimer(scope, at(900), run);
  await scheduleTimer(scope, at(10), { ...run, wake: 1 });
  await scheduleTimer(scope, at(-60), { ...run, wake: 2 });
  expect(sent).toEqual([
    { body: { at: at(900).toISOString(), run: { ...run, wake: 1 } }, delaySeconds: 900 },
    { body: { at: at(10).toISOString(), run: { ...run, wake: 2 } }, delaySeconds: 10 },
    { body: { at: at(-60).toISOString(), run: { ...run, wake: 3 } }, delaySeconds: 0 },
  ]);
});

test('an early timer is rescheduled with its number; a timer in time enqueues the run once', async () => {
  const { scope, run } = world();
  const wakes = await silentQueue<TimerMessage>('WAKES_QUEUE_URL');
  const runs = await silentQueue<RunMessage>('RUNS_QUEUE_URL');
  const woken = { ...run, wake: 2 };
  const early: TimerMessage = { at: at(30).toISOString(), run: woken };
  await fireTimer(scope, early);
  expect([wakes, runs]).toEqual([[{ body: early, delaySeconds: 30 }], []]);
  await fireTimer(scope, { at: at(0).toISOString(), run: woken });
  const { batchId, runId } = run;
  expect(runs).toEqual([{ body: woken, group: `${batchId}.3`, id: `${batchId}.${runId}.2` }]);
});

test('the queue takes a timer once, and once more for each time that the batch was sent again', async () => {
  const { scope, run } = world();
  const { ready } = await queueOfItsOwn('RUNS_QUEUE_URL', { fifo: true });
  const fire = (changes: Partial<RunMessage>) =>
    fireTimer(scope, { at: at(0).toISOString(), run: { ...run, ...changes } });
  await fire({ wake: 1 });
  await fire({ wake: 1 });
  expect(await ready()).toBe(1);
  await fire({ wake: 2 });
  expect(await ready()).toBe(2);
  // The sweep has sent the run anew, whose timers begin at 1 again.
  await fire({ wake: 1, sending: 1 });
  await fire({ wake: 1, sending: 1 });
  expect(await ready()).toBe(3);
});
