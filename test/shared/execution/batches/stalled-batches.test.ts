import { encodeTime } from 'ulid';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { handler as sweep } from '../../../../functions/workers/sweep.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { batchDefaults, batchEntity, batchSweep } from '../../../../shared/execution/batches/batch.ts';
import { batchPlanner, toRecordRunId } from '../../../../shared/execution/batches/batch-plan.ts';
import { batchStore } from '../../../../shared/execution/batches/batch-store.ts';
import { resumeIfStalled } from '../../../../shared/execution/batches/stalled-batches.ts';
import { batchStarter } from '../../../../shared/execution/batches/start-batch.ts';
import { sweepKeys } from '../../../../shared/platform/cleanup/sweeps.ts';
import { toStoredIndexKeys, toStoredKey } from '../../../../shared/platform/data/keys.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { queueOfItsOwn } from '../../../support/data/queues.ts';
import { deliverRunMessages, plannedBatch, runOnce } from '../../../support/flows/batches.ts';
import { createRecords, finishedBatch, publishedFlow, template } from '../../../support/flows/flows.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { principalHere } from '../../../support/stack/principals.ts';
import { countingRuntime, newTenant, stack } from '../../../support/stack/stack.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const steps = [template('hello')];
const day = 86_400_000;
const later = (ms: number) => new Date(Date.now() + ms);
const standsInSweep = async ({ table }: Scope, id: string) => {
  const [item] = await table.getMany([batchEntity.key({ id })], { consistent: true });
  return item?.PK2 !== undefined;
};

test.each([
  ['whose records were never planned', { recordCount: 12, planned: false }],
  ['whose few records never got their messages', { recordCount: 3, planned: true }],
])(
  'a batch %s runs after the sweeper has resent its messages, and is then left alone',
  async (_what, options) => {
    const { scope, batch, ...tenant } = await plannedBatch({ steps, ...options });
    await resumeIfStalled(scope, batch.id, later(16 * 60_000));
    const { recordCount } = options;
    expect(await finishedBatch(tenant, batch.id)).toMatchObject({
      status: 'completed',
      processedRecords: recordCount,
      totalRecords: recordCount,
    });
    expect(await standsInSweep(scope, batch.id)).toBe(false);
  },
);

test('listed records get their messages again', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const records = await createRecords(tenant, 'thing', 3);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const ids = records.map(({ id }) => id);
  const batch = await batchStarter(scope).startOnRecords(
    flow.id,
    ids,
    { recordConcurrency: 2, maxRetries: 0 },
    principalHere(tenant),
  );
  await finishedBatch(tenant, batch.id);
  expect(await batchStore(scope).recordIds(await batchStore(scope).get(batch.id))).toEqual(ids);
});

test('a small batch of which only some messages were sent completes at the next start', async () => {
  const { scope, batch, records, ...tenant } = await plannedBatch({ steps, recordCount: 3 });
  await batchPlanner(scope).enqueue(batch, records.slice(0, 1), 0);
  const processed = async () => (await batchStore(scope).settleBatch(batch)).processedRecords;
  await eventually(async () => expect(await processed()).toBe(1));
  await resumeIfStalled(scope, batch.id, new Date(), true);
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({ status: 'completed', processedRecords: 3 });
});

test('starts send the messages of a small batch again once, however often the process is killed', async () => {
  const wait = { type: 'wait-until' as const, name: 'wait', config: { delayMs: 3_600_000 } };
  const { scope, batch } = await plannedBatch({ steps: [wait, ...steps], recordCount: 3 });
  for (let starts = 0; starts < 4; starts++) await resumeIfStalled(scope, batch.id, new Date(), true);
  expect((await batchStore(scope).get(batch.id)).seen).toMatchObject({ processed: 0, sendings: 1 });
});

test('only the newest message resumes a waiting run', async () => {
  const { delayed } = await queueOfItsOwn('WAKES_QUEUE_URL');
  const wait = { type: 'wait-until' as const, name: 'wait', config: { delayMs: 60_000 } };
  const { scope, batch, message } = await plannedBatch({ steps: [wait, ...steps] });
  await runOnce(scope, message());
  expect(await delayed()).toBe(1);
  const seen = { processed: 0, since: batch.startedAt, sendings: 2 };
  await scope.table.commit([scope.table.writes.update(batchEntity, { id: batch.id }, { set: { seen } })]);
  await runOnce(scope, message());
  await runOnce(scope, { ...message(), sending: 1 });
  expect(await delayed()).toBe(1);
  await runOnce(scope, { ...message(), sending: 2 });
  expect(await delayed()).toBe(2);
});

test('the queue takes the messages of a batch once for each time that they are sent', async () => {
  const { scope, batch, records } = await plannedBatch({ steps, recordCount: 3, recordConcurrency: 2 });
  const { ready } = await queueOfItsOwn('RUNS_QUEUE_URL', { fifo: true });
  const send = (sending?: number) => batchPlanner(scope).enqueue(batch, records, 0, sending);
  await send();
  await send();
  expect(await ready()).toBe(2);
  await send(1);
  await send(1);
  expect(await ready()).toBe(4);
  await send(2);
  expect(await ready()).toBe(6);
});

test('the messages of a batch count the resends', async () => {
  const wait = { type: 'wait-until' as const, name: 'wait', config: { delayMs: 3_600_000 } };
  const { scope, batch } = await plannedBatch({ steps: [wait, ...steps] });
  await resumeIfStalled(scope, batch.id, later(16 * 60_000));
  const { records } = await batchPlanner(scope).listRecordsOfType('thing', { limit: 1 });
  const name = `${toRecordRunId(batch, records[0]?.id ?? '')}-1.again-1`;
  const { scheduler } = stack().aws;
  const schedule = () => fetch(`${scheduler}/schedules/${name}?groupName=${process.env.SCHEDULE_GROUP}`);
  await eventually(async () => expect(await (await schedule()).text()).toContain('sending'));
  expect((await batchStore(scope).get(batch.id)).seen).toMatchObject({ processed: 0, sendings: 1 });
});

test('a batch whose queue is unreachable is still created, once', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  await createRecords(tenant, 'thing', 12);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  vi.stubEnv('PLAN_QUEUE_URL', 'http://127.0.0.1:1/none');
  const { batch } = await batchStarter(scope).start(flow.id, 'thing', batchDefaults, principalHere(tenant));
  vi.unstubAllEnvs();
  expect(await batchStore(scope).settleBatch(batch)).toMatchObject({ status: 'scheduled' });
  await resumeIfStalled(scope, batch.id, later(16 * 60_000));
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({ status: 'completed', processedRecords: 12 });
});

test('a batch that cannot be planned for a day fails', async () => {
  const { scope, batch, progress } = await plannedBatch({
    steps,
    planned: false,
    flowId: `flow_${'0'.repeat(26)}`,
  });
  await resumeIfStalled(scope, batch.id, later(25 * 3_600_000));
  expect(await progress()).toMatchObject({ status: 'failed' });
});

test('a batch without progress for 40 days fails, so that it ends', async () => {
  const { scope, batch, progress } = await plannedBatch({ steps, flowId: `flow_${'0'.repeat(26)}` });
  await resumeIfStalled(scope, batch.id, later(41 * day));
  expect(await progress()).toMatchObject({ status: 'failed' });
});

test('a batch without progress is checked less and less often, one with progress soon again', async () => {
  // It names no records, so that its messages are none.
  const { scope, batch, message } = await plannedBatch({ steps, recordCount: 2, recordType: null });
  const minute = 60_000;
  const started = Date.parse(batch.startedAt);
  const { table } = scope;
  const lookAfter = async (ms: number) => {
    await resumeIfStalled(scope, batch.id, new Date(started + ms));
    const [item] = await table.getMany([batchEntity.key({ id: batch.id })], {
      consistent: true,
    });
    return item && { nextMs: Date.parse(item.SK2 as string) - started - ms, seen: item.seen };
  };
  const since = (ms: number) => new Date(started + ms).toISOString();
  const untouched = { processed: 0, since: since(0) };
  expect(await lookAfter(5 * minute)).toMatchObject({ nextMs: 15 * minute, seen: untouched });
  expect(await lookAfter(60 * minute)).toMatchObject({ nextMs: 60 * minute, seen: untouched });
  expect(await lookAfter(20 * day)).toMatchObject({ nextMs: day, seen: untouched });
  await deliverRunMessages([message(0)]);
  const moved = { processed: 1, since: since(30 * day) };
  expect(await lookAfter(30 * day)).toMatchObject({ nextMs: 15 * minute, seen: moved });
  expect(await lookAfter(30 * day + 90 * minute)).toMatchObject({ nextMs: 90 * minute, seen: moved });
  expect(await lookAfter(69 * day)).toMatchObject({ nextMs: day, seen: moved });
  expect(await batchStore(scope).get(batch.id)).toMatchObject({ stopped: null });
  await lookAfter(71 * day);
  expect(await batchStore(scope).get(batch.id)).toMatchObject({ stopped: 'failed' });
});

test('a batch with progress does not get its messages again, one without does', async () => {
  const { scope, batch, message } = await plannedBatch({ steps, recordCount: 2 });
  await deliverRunMessages([message(0)]);
  vi.stubEnv('PLAN_QUEUE_URL', 'http://127.0.0.1:1/none');
  onTestFinished(() => void vi.unstubAllEnvs());
  await resumeIfStalled(scope, batch.id, later(16 * 60_000));
  await expect(resumeIfStalled(scope, batch.id, later(32 * 60_000))).rejects.toThrow();
});

test('records that were processed and then deleted still count when a batch is planned again', async () => {
  const { scope, batch, message, records, ...tenant } = await plannedBatch({ steps, recordCount: 3 });
  await deliverRunMessages([message(0), message(1)]);
  await recordStore(scope).remove(records[0]?.id ?? '');
  const again = { tenant: tenant.tenant, batchId: batch.id, after: null, n: 0, again: 1 };
  expect(await batchPlanner(scope).plan(again)).toBeUndefined();
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({ totalRecords: 3, processedRecords: 3 });
});

test('the sweep checks only the batches that are due, and an unreadable one does not stop it', async () => {
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const due = await plannedBatch({ steps, startedAt: anHourAgo });
  const fresh = await plannedBatch({ steps });
  const { table } = due.scope;
  const unreadable = batchEntity.key({ id: `batch_x${due.batch.id.at(-1)}` });
  const keys = sweepKeys(batchSweep, due.batch.id, new Date(0).toISOString());
  await table.commit([
    {
      Put: { Item: { ...toStoredKey(table.tenant, unreadable), ...toStoredIndexKeys(table.tenant, keys) } },
    },
  ]);
  await sweep();
  await table.removeAll([unreadable]);
  expect(await finishedBatch(due, due.batch.id)).toMatchObject({ status: 'completed' });
  expect((await batchStore(fresh.scope).get(fresh.batch.id)).seen).toBeUndefined();
});

test('a clock that is set back omits no record', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  await createRecords(tenant, 'thing', 15);
  const past = Date.now() - 3_600_000;
  const scope: Scope = {
    ...countingRuntime().scopeOf(tenant.tenant),
    now: () => new Date(past),
    newId: (prefix) => newId(prefix).replace(/_.{10}/, `_${encodeTime(past).toLowerCase()}`) as never,
  };
  const { batch } = await batchStarter(scope).start(flow.id, 'thing', batchDefaults, principalHere(tenant));
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({ status: 'completed', processedRecords: 15 });
});
