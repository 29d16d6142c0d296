import { encodeTime } from 'ulid';
import { expect, onTestFinished, test, vi } from 'vitest';
import { handler as sweep } from '../../../functions/workers/sweep.ts';
import { batchEntity, batchSweep } from '../../../shared/batches/batch.ts';
import { batchPlanner } from '../../../shared/batches/batch-plan.ts';
import { batchStarter } from '../../../shared/batches/batch-start.ts';
import { batchStore } from '../../../shared/batches/batch-store.ts';
import { reviveIfStalled } from '../../../shared/batches/stalled.ts';
import { sweepKeys } from '../../../shared/data/sweeps.ts';
import { newId } from '../../../shared/ids.ts';
import { recordStore } from '../../../shared/records/record-store.ts';
import type { Scope } from '../../../shared/runtime.ts';
import { deliver, plannedBatch } from '../../support/batches.ts';
import { createRecords, finishedBatch, publishedFlow, template } from '../../support/flows.ts';
import { principalHere } from '../../support/principals.ts';
import { countingRuntime, newTenant } from '../../support/stack.ts';

const steps = [template('hello')];
const day = 86_400_000;
const later = (ms: number) => new Date(Date.now() + ms);
const standsInSweep = async ({ table }: Scope, id: string) => {
  const [item] = await table.getMany([batchEntity.key(table.tenant, { id })], { consistent: true });
  return item?.PK2 !== undefined;
};

test.each([
  ['whose records were never planned', { recordCount: 12, planned: false }],
  ['whose few records never got their messages', { recordCount: 3, planned: true }],
])('a batch %s runs when the sweeper has seen it, and is then left alone', async (_what, options) => {
  const { scope, batch, ...tenant } = await plannedBatch({ steps, ...options });
  await reviveIfStalled(scope, batch.id, later(16 * 60_000));
  const { recordCount } = options;
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({
    status: 'completed',
    processedRecords: recordCount,
    totalRecords: recordCount,
  });
  expect(await standsInSweep(scope, batch.id)).toBe(true);
  await reviveIfStalled(scope, batch.id, later(32 * 60_000));
  expect(await standsInSweep(scope, batch.id)).toBe(false);
});

test('records that were named one by one get their messages again', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const records = await createRecords(tenant, 'thing', 3);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const ids = records.map(({ id }) => id);
  const batch = await batchStarter(scope).startOn(
    flow.id,
    ids,
    { recordConcurrency: 2, maxRetries: 0 },
    principalHere(tenant),
  );
  await finishedBatch(tenant, batch.id);
  expect(await batchStore(scope).recordIds(await batchStore(scope).get(batch.id))).toEqual(ids);
});

test('a batch that stands still for 40 days is failed, so that it ends', async () => {
  const { scope, batch, progress } = await plannedBatch({ steps, flowId: `flow_${'0'.repeat(26)}` });
  await reviveIfStalled(scope, batch.id, later(41 * day));
  expect(await progress()).toMatchObject({ status: 'failed' });
});

test('a batch that stands is looked at ever more seldom, one that moved soon again', async () => {
  // It names no records, so that its messages are none.
  const { scope, batch, message } = await plannedBatch({ steps, recordCount: 2, recordType: null });
  const minute = 60_000;
  const started = Date.parse(batch.startedAt);
  const { table } = scope;
  const lookAfter = async (ms: number) => {
    await reviveIfStalled(scope, batch.id, new Date(started + ms));
    const [item] = await table.getMany([batchEntity.key(table.tenant, { id: batch.id })], {
      consistent: true,
    });
    return item && { nextMs: Date.parse(item.SK2 as string) - started - ms, seen: item.seen };
  };
  const since = (ms: number) => new Date(started + ms).toISOString();
  const untouched = { processed: 0, since: since(0) };
  expect(await lookAfter(5 * minute)).toEqual({ nextMs: 15 * minute, seen: untouched });
  expect(await lookAfter(60 * minute)).toEqual({ nextMs: 60 * minute, seen: untouched });
  expect(await lookAfter(20 * day)).toEqual({ nextMs: day, seen: untouched });
  await deliver([message(0)]);
  const moved = { processed: 1, since: since(30 * day) };
  expect(await lookAfter(30 * day)).toEqual({ nextMs: 15 * minute, seen: moved });
  expect(await lookAfter(30 * day + 90 * minute)).toEqual({ nextMs: 90 * minute, seen: moved });
  expect(await lookAfter(69 * day)).toEqual({ nextMs: day, seen: moved });
  expect(await batchStore(scope).get(batch.id)).toMatchObject({ stopped: null });
  await lookAfter(71 * day);
  expect(await batchStore(scope).get(batch.id)).toMatchObject({ stopped: 'failed' });
});

test('a batch that moved does not get its messages again, one that stands does', async () => {
  const { scope, batch, message } = await plannedBatch({ steps, recordCount: 2 });
  await deliver([message(0)]);
  vi.stubEnv('PLAN_QUEUE_URL', 'http://127.0.0.1:1/none');
  onTestFinished(() => void vi.unstubAllEnvs());
  await reviveIfStalled(scope, batch.id, later(16 * 60_000));
  await expect(reviveIfStalled(scope, batch.id, later(32 * 60_000))).rejects.toThrow();
});

test('records that were processed and deleted still count when a batch is planned again', async () => {
  const { scope, batch, message, records, ...tenant } = await plannedBatch({ steps, recordCount: 3 });
  await deliver([message(0), message(1)]);
  await recordStore(scope).remove(records[0]?.id ?? '');
  const again = { tenant: tenant.tenant, batchId: batch.id, after: null, n: 0, again: true };
  expect(await batchPlanner(scope).plan(again)).toBeUndefined();
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({ totalRecords: 3, processedRecords: 3 });
});

test('the sweep looks at the batches that are due and at no others, and one that cannot be read is in nobody’s way', async () => {
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const due = await plannedBatch({ steps, startedAt: anHourAgo });
  const fresh = await plannedBatch({ steps });
  const { table } = due.scope;
  const unreadable = { ...batchEntity.key(table.tenant, { id: `batch_x${due.batch.id.at(-1)}` }) };
  const keys = sweepKeys(batchSweep, due.batch.id, new Date(0).toISOString());
  await table.commit([{ Put: { Item: { ...unreadable, ...keys } } }]);
  await sweep();
  await table.removeAll([unreadable]);
  expect(await finishedBatch(due, due.batch.id)).toMatchObject({ status: 'completed' });
  expect((await batchStore(fresh.scope).get(fresh.batch.id)).seen).toBeUndefined();
});

test('a clock that is set back leaves no record out', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  await createRecords(tenant, 'thing', 15);
  const past = Date.now() - 3_600_000;
  const scope: Scope = {
    ...countingRuntime().scopeOf(tenant.tenant),
    now: () => new Date(past),
    newId: (prefix) => newId(prefix).replace(/_.{10}/, `_${encodeTime(past).toLowerCase()}`) as never,
  };
  const { batch } = await batchStarter(scope).start(flow.id, 'thing', principalHere(tenant));
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({ status: 'completed', processedRecords: 15 });
});
