import { afterEach, expect, test, vi } from 'vitest';
import { handler as cleanUp } from '../../../functions/workers/clean-up.ts';
import { workers } from '../../../functions/workers/index.ts';
import { handler as retryCleanup } from '../../../functions/workers/retry-cleanup.ts';
import { handler as retryPlan } from '../../../functions/workers/retry-plan.ts';
import { handler as retryWake } from '../../../functions/workers/retry-wake.ts';
import { queues } from '../../../infra/resources.ts';
import { newId } from '../../../shared/core/ids.ts';
import { batchEntity } from '../../../shared/execution/batches/batch.ts';
import { batchStore } from '../../../shared/execution/batches/batch-store.ts';
import { resumeIfStalled } from '../../../shared/execution/batches/stalled-batches.ts';
import {
  listUnfinishedCleanups,
  tombstoneEntity,
  tombstoneWrite,
} from '../../../shared/platform/cleanup/tombstone.ts';
import { queueOfItsOwn } from '../../support/data/queues.ts';
import { deliverRunMessages, plannedBatch, sqsEvent } from '../../support/flows/batches.ts';
import { finishedBatch, template } from '../../support/flows/flows.ts';
import { countingRuntime } from '../../support/stack/stack.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const steps = [template('x')];
const minute = 60_000;
const day = 86_400_000;
const later = (ms: number) => new Date(Date.now() + ms);

test.each(Object.entries(queues))(
  'the dead-letter queue of %s has a worker',
  (_name, { deadLetterWorker }) => {
    expect(Object.keys(workers)).toContain(deadLetterWorker);
  },
);

test('a plan message from the dead-letter queue is sent again 15 minutes later, although records were processed', async () => {
  const { scope, batch, message, tenant, call } = await plannedBatch({
    steps,
    recordCount: 12,
    planned: false,
    totalRecords: 12,
  });
  await deliverRunMessages([message(0)]);
  await retryPlan(sqsEvent([{ tenant, batchId: batch.id, after: null, n: 0 }]));
  const [item] = await scope.table.getMany([batchEntity.key({ id: batch.id })], { consistent: true });
  const dueInMs = Date.parse(String(item?.SK2)) - Date.now();
  expect(dueInMs).toBeGreaterThan(14 * minute);
  expect(dueInMs).toBeLessThanOrEqual(15 * minute);
  await resumeIfStalled(scope, batch.id, later(15 * minute));
  expect(await finishedBatch({ call }, batch.id)).toMatchObject({
    status: 'completed',
    processedRecords: 12,
  });
  expect((await batchStore(scope).get(batch.id)).seen).not.toHaveProperty('planFailed');
});

test('a batch whose plan messages keep failing fails after a day, with the reason', async () => {
  const { scope, batch, tenant } = await plannedBatch({ steps, planned: false });
  await retryPlan(sqsEvent([{ tenant, batchId: batch.id, after: null, n: 0 }]));
  await resumeIfStalled(scope, batch.id, later(day + minute));
  expect(await batchStore(scope).get(batch.id)).toMatchObject({
    stopped: 'failed',
    error: 'The records could not be enqueued for a day',
  });
});

test.each([
  ['has been planned', { planned: true }],
  ['was stopped', { planned: false, stopped: 'cancelled' as const }],
])('a plan message from the dead-letter queue changes nothing if its batch %s', async (_what, changes) => {
  const { scope, batch, tenant } = await plannedBatch({ steps, ...changes });
  await retryPlan(sqsEvent([{ tenant, batchId: batch.id, after: null, n: 0 }]));
  expect((await batchStore(scope).get(batch.id)).seen).toBeUndefined();
});

test('a timer from the dead-letter queue is set again, and its record fails after the third time', async () => {
  const { delayed } = await queueOfItsOwn('WAKES_QUEUE_URL');
  const batch = await plannedBatch({ steps });
  const at = new Date().toISOString();
  await retryWake(sqsEvent([{ at, run: batch.message() }]));
  expect(await delayed()).toBe(1);
  expect(await batch.progress()).toMatchObject({ status: 'scheduled', processedRecords: 0 });
  await retryWake(sqsEvent([{ at, run: { ...batch.message(), restarts: 2 } }]));
  expect(await delayed()).toBe(1);
  expect(await batch.progress()).toMatchObject({ status: 'failed', processedRecords: 1, failedRecords: 1 });
});

/** A deletion, and when the sweep requests its cleanup next, in ms from now. */
async function deletion() {
  const tenant = `user:${newId('key')}`;
  const scope = countingRuntime().scopeOf(tenant);
  const id = newId('flow');
  await scope.table.commit([tombstoneWrite(scope, id)]);
  const isFoundAt = async (ms: number) => {
    for await (const page of listUnfinishedCleanups(scope.table, later(ms))) {
      if (page.some((each) => each.id === id)) return true;
    }
    return false;
  };
  const failures = async () => (await scope.table.get(tombstoneEntity, { id }))?.failures;
  return { scope, isFoundAt, failures, event: sqsEvent([{ tenant, ids: [id], isLast: true }]) };
}

test('a cleanup from the dead-letter queue is requested by a later sweep, after each failure twice as late', async () => {
  const { isFoundAt, failures, event } = await deletion();
  expect(await isFoundAt(0)).toBe(true);
  for (const minutes of [15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]) {
    await retryCleanup(event);
    expect([await isFoundAt((minutes - 1) * minute), await isFoundAt(minutes * minute)]).toEqual([
      false,
      true,
    ]);
  }
  expect(await failures()).toBe(9);
  await cleanUp(event);
  await retryCleanup(event);
  expect(await isFoundAt(40 * day)).toBe(false);
});
