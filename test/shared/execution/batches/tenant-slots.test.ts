import { expect, test } from 'vitest';
import type { Batch } from '../../../../shared/execution/batches/batch.ts';
import { batchPlanner } from '../../../../shared/execution/batches/batch-plan.ts';
import { batchStore } from '../../../../shared/execution/batches/batch-store.ts';
import type { RunMessage } from '../../../../shared/execution/batches/run-message.ts';
import { tenantBatchesMax, tenantSlots } from '../../../../shared/execution/batches/slot-sharing.ts';
import { batchStarter } from '../../../../shared/execution/batches/start-batch.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { deliverRunMessages, plannedBatch } from '../../../support/flows/batches.ts';
import { expectStatus, template } from '../../../support/flows/flows.ts';
import { principalHere } from '../../../support/stack/principals.ts';

const maxRetries = 0;
const ended = { stopped: 'cancelled' as const, stoppedAt: new Date().toISOString() };

const grantedTo = ({ slotShare, recordConcurrency }: Batch) => slotShare ?? recordConcurrency;

/** A tenant with records whose batches nobody runs. */
async function idleTenant(recordCount = 1) {
  const sent = await silentQueue<RunMessage>('RUNS_QUEUE_URL');
  await silentQueue('PLAN_QUEUE_URL');
  const { batch, ...world } = await plannedBatch({ steps: [template('x')], recordCount, ...ended });
  const ids = world.records.map(({ id }) => id);
  const start = async (recordConcurrency: number, recordIds = ids) => {
    const options = { recordConcurrency, maxRetries };
    const started = await batchStarter(world.scope).startOnRecords(
      batch.flowId,
      recordIds,
      options,
      principalHere(world),
    );
    return { ...started, granted: grantedTo(started) };
  };
  return { ...world, sent, start };
}

test('a batch gets the slots it asks for while its tenant has them, then fewer, and one at the least', async () => {
  const { start } = await idleTenant(30);
  const slots = [];
  for (const asked of [10, 25, 20, 5, 50]) slots.push((await start(asked)).granted);
  expect(slots).toEqual([10, 25, 15, 1, 1]);
});

test('a batch takes no more slots than it has records', async () => {
  const { start, records } = await idleTenant(30);
  const two = records.slice(0, 2).map(({ id }) => id);
  for (let n = 0; n < 20; n++) expect((await start(10, two)).granted).toBe(10);
  expect((await start(50)).granted).toBe(10);
});

test('batches that have ended or were cancelled leave their slots to others', async () => {
  const { start, sent, scope, tenant } = await idleTenant(25);
  const first = await start(25);
  const second = await start(25);
  expect((await start(10)).granted).toBe(1);
  await batchStore(scope).stop(first.id, 'cancelled');
  expect((await start(10)).granted).toBe(10);
  const last = await start(25);
  // The third has what it asked for by now.
  expect(last.granted).toBe(5);
  await batchPlanner(scope).plan({ tenant, batchId: second.id, after: null, n: 0 });
  const messages = sent.map(({ body }) => body).filter(({ batchId }) => batchId === second.id);
  for (const some of [messages.slice(0, 10), messages.slice(10, 20), messages.slice(20)])
    await deliverRunMessages(some);
  expect(grantedTo(await batchStore(scope).get(last.id))).toBe(25);
  expect((await start(25)).granted).toBe(5);
});

test('beyond 50 active batches, a start is a 429 that says what to do', async () => {
  const tenant = await idleTenant();
  const { call, flow, records, scope, start } = tenant;
  const batches = [];
  for (let n = 0; n < tenantBatchesMax; n++) batches.push(await start(1));
  const body = { flowId: flow.id, recordIds: [records[0]?.id] };
  const refused = await call('POST', '/v1/batch/flow', { body });
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    error: 'Rate limit exceeded',
    details: '50 batches are active. Wait until one has ended, or cancel one',
  });
  expect(refused.headers.get('retry-after')).toBe('60');
  await batchStore(scope).stop(batches[7]?.id ?? '', 'cancelled');
  await expectStatus(200, call('POST', '/v1/batch/flow', { body }));
});

test('batches whose records only wait leave their slots to others after 16 minutes', async () => {
  const { scope, flow, records, ...world } = await idleTenant(50);
  const ids = records.map(({ id }) => id);
  const startAfter = async (minutes: number, recordConcurrency: number) => {
    const now = () => new Date(Date.now() + minutes * 60_000);
    const options = { recordConcurrency, maxRetries };
    return grantedTo(
      await batchStarter({ ...scope, now }).startOnRecords(flow.id, ids, options, principalHere(world)),
    );
  };
  await startAfter(0, 50);
  expect(await startAfter(15, 10)).toBe(1);
  expect(await startAfter(17, 10)).toBe(10);
});

test('parallel starts stay within the share', async () => {
  const tenant = await idleTenant(30);
  const started = await Promise.all(Array.from({ length: 6 }, () => tenant.start(20)));
  const slots = started.map(({ granted }) => granted).toSorted((a, b) => b - a);
  expect(slots).toEqual([20, 20, 10, 1, 1, 1]);
});

test('a start costs a read and one further write, of the list of runs; with a full list, two more reads', async () => {
  const { start, runtime } = await idleTenant(30);
  const commandsOf = async (recordConcurrency: number) => {
    runtime.reset();
    await start(recordConcurrency);
    return runtime.consumed.commands.toSorted();
  };
  await start(1);
  const usual = await commandsOf(tenantSlots - 20);
  // The records; the flow and the list; the batch with the list and the row of its run.
  expect(usual).toEqual(['BatchGetItem', 'GetItem', 'GetItem', 'TransactWriteItems']);
  expect(await commandsOf(30)).toEqual([...usual, 'BatchGetItem', 'BatchGetItem'].toSorted());
});
