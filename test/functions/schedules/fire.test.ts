import { expect, test } from 'vitest';
import { batchStore } from '../../../shared/execution/batches/batch-store.ts';
import { newRecord } from '../../support/data/records.ts';
import { createFlow, createRecords, expectStatus, template } from '../../support/flows/flows.ts';
import {
  createSchedule,
  daily,
  finishedRuns,
  fire,
  inSeconds,
  makeDue,
  scheduleSurface,
} from '../../support/flows/schedules.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

const waiting = { type: 'wait-until', name: 'wait', config: { delayMs: 3_600_000 } };

async function withSchedule(changes: object = {}) {
  const tenant = await newTenant();
  const at = await scheduleSurface(tenant);
  const schedule = await createSchedule(tenant, at.path, { ...daily(at.flowId), ...changes });
  const get = () => expectStatus(200, tenant.call('GET', `${at.path}/${schedule.id}`));
  const runNow = () => tenant.call('POST', `${at.path}/${schedule.id}/run-now`);
  const fireAt = async (nextRunAt: string) => {
    await makeDue(tenant, schedule.id, nextRunAt);
    await fire(tenant, schedule.id);
  };
  return { ...tenant, ...at, schedule, id: schedule.id as string, get, runNow, fireAt };
}

test('a one-time schedule runs its flow on the records of a type at its time, and is then disabled', async () => {
  const tenant = await newTenant();
  const { flowId, path } = await scheduleSurface(tenant);
  await createRecords(tenant, 'airport', 3);
  const given = { flowId, triggerType: 'one_time', runAt: inSeconds(2), recordType: 'airport' };
  const schedule = await createSchedule(tenant, path, given);
  expect(schedule).toMatchObject({ enabled: true, nextRunAt: given.runAt, lastRunAt: null });
  await eventually(async () => {
    const { body } = await tenant.call('GET', `/v1/schedules/${schedule.id}/runs`);
    expect(body.data).toMatchObject([
      { status: 'completed', totalRecords: 3, processedRecords: 3, failedRecords: 0, totalCostUsd: 0 },
    ]);
  });
  const { body } = await tenant.call('GET', `${path}/${schedule.id}`);
  expect(body).toMatchObject({ enabled: false, nextRunAt: null, lastRunAt: expect.any(String) });
  expect(body.recentRuns).toMatchObject([{ status: 'completed' }]);
});

test('a schedule without records runs its flow once', async () => {
  const { schedule, call } = await withSchedule({
    triggerType: 'one_time',
    cron: undefined,
    runAt: inSeconds(2),
  });
  await eventually(async () => {
    const { body } = await call('GET', `/v1/schedules/${schedule.id}/runs`);
    expect(body.data).toMatchObject([{ status: 'completed', totalRecords: 1, processedRecords: 1 }]);
  });
});

test('the same time delivered five times at once makes one batch', async () => {
  const caller = await withSchedule();
  await makeDue(caller, caller.id, inSeconds(-1));
  await Promise.all(Array.from({ length: 5 }, () => fire(caller, caller.id)));
  expect(await finishedRuns(caller, caller.id)).toMatchObject([{ status: 'completed' }]);
  const { body } = await caller.call('GET', '/v1/batch/summary');
  expect(body.recentlyCompleted).toBe(1);
  expect(await caller.get()).toMatchObject({ enabled: true, nextRunAt: caller.schedule.nextRunAt });
});

test('three times missed while the service was down make one batch, a day late too', async () => {
  const caller = await withSchedule({ cron: '@hourly' });
  await caller.fireAt(inSeconds(-86_400));
  await Promise.all([fire(caller, caller.id), fire(caller, caller.id)]);
  expect(await finishedRuns(caller, caller.id)).toHaveLength(1);
  expect(await caller.get()).toMatchObject({ nextRunAt: caller.schedule.nextRunAt });
});

test('a schedule that fires again stores the outcome of its last batch, which lists then show without its counters', async () => {
  const caller = await withSchedule();
  await caller.fireAt(inSeconds(-86_400));
  const [{ batchExecutionId }] = await finishedRuns(caller, caller.id);
  const batches = batchStore(countingRuntime().scopeOf(caller.tenant));
  expect(await batches.get(batchExecutionId)).not.toHaveProperty('outcome');
  await caller.fireAt(inSeconds(-3_600));
  expect(await batches.get(batchExecutionId)).toMatchObject({ outcome: { processed: 1, failed: 0 } });
  expect(await finishedRuns(caller, caller.id)).toMatchObject([
    { status: 'completed' },
    { status: 'completed' },
  ]);
});

test('a message before the time, for a disabled or for a deleted schedule does nothing', async () => {
  const caller = await withSchedule();
  await fire(caller, caller.id);
  await expectStatus(200, caller.call('POST', `${caller.path}/${caller.id}/pause`));
  await fire(caller, caller.id);
  expect((await caller.get()).recentRuns).toEqual([]);
  await expectStatus(200, caller.call('DELETE', `${caller.path}/${caller.id}`));
  await fire(caller, caller.id);
  await fire(caller, 'schedule_01k9m4v7d3x8qz5w2r6t0y1hbn');
});

test('a time while the last run is active is recorded as skipped', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant, [waiting]);
  const { path } = await scheduleSurface(tenant);
  const { id } = await createSchedule(tenant, path, daily(flow.id));
  await makeDue(tenant, id, inSeconds(-120));
  await fire(tenant, id);
  await makeDue(tenant, id, inSeconds(-60));
  await fire(tenant, id);
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/schedules/${id}/runs`));
  expect(data).toMatchObject([
    { status: 'skipped', batchExecutionId: null, error: 'The last run of the schedule is not over' },
    { batchExecutionId: expect.any(String), error: null },
  ]);
  expect(await tenant.call('POST', `${path}/${id}/run-now`)).toMatchObject({ status: 409 });
  await expectStatus(200, tenant.call('POST', `/v1/batch/cancel/${data[1].batchExecutionId}`));
  expect((await tenant.call('POST', `${path}/${id}/run-now`)).status).toBe(200);
});

test('a time while the surface is paused is recorded as skipped', async () => {
  const caller = await withSchedule();
  const surface = `/v1/products/${caller.product.id}/surfaces/${caller.surface.id}`;
  await expectStatus(200, caller.call('PUT', surface, { body: { status: 'paused' } }));
  await caller.fireAt(inSeconds(-1));
  expect(await finishedRuns(caller, caller.id)).toMatchObject([
    { status: 'skipped', error: 'The surface is paused' },
  ]);
  expect(await caller.runNow()).toMatchObject({ status: 403 });
  expect(await caller.get()).toMatchObject({ enabled: true });
});

test('a schedule whose flow is gone disables itself and says why', async () => {
  const caller = await withSchedule();
  await expectStatus(204, caller.call('DELETE', `/v1/flows/${caller.flowId}`));
  expect(await caller.runNow()).toMatchObject({ status: 404, body: { error: 'Flow not found' } });
  await caller.fireAt(inSeconds(-1));
  for (const [method, path, body] of [
    ['POST', `${caller.path}/${caller.id}/resume`, undefined],
    ['PUT', `${caller.path}/${caller.id}`, { enabled: true }],
  ] as const) {
    const answer = await caller.call(method, path, { body });
    expect(answer).toMatchObject({ status: 404, body: { error: 'Flow not found' } });
  }
  expect(await caller.get()).toMatchObject({
    enabled: false,
    nextRunAt: null,
    flowName: null,
    recentRuns: [{ status: 'failed', error: 'The flow was deleted. The schedule is disabled' }],
  });
});

test('run-now runs a disabled schedule and leaves its next time', async () => {
  const caller = await withSchedule({ enabled: false, recordType: 'airport' });
  await createRecords(caller, 'airport', 2);
  const { body } = await caller.runNow();
  expect(body).toEqual({ batchExecutionId: expect.any(String), recordCount: 2, status: expect.any(String) });
  const runs = await finishedRuns(caller, caller.id);
  expect(runs).toMatchObject([{ status: 'completed', batchExecutionId: body.batchExecutionId }]);
  expect(await caller.get()).toMatchObject({
    enabled: false,
    nextRunAt: null,
    lastRunAt: expect.any(String),
  });
});

test('a filter selects the records that match when the schedule fires', async () => {
  const where = { field: 'value', op: 'gte', value: 8 };
  const caller = await withSchedule({ recordFilter: { type: 'airport', where } });
  await createRecords(caller, 'airport', 12);
  await caller.fireAt(inSeconds(-1));
  expect(await finishedRuns(caller, caller.id)).toMatchObject([{ status: 'completed', totalRecords: 4 }]);
});

test.each([
  ['a filter that no record matches', { recordFilter: { type: 'a', where: { field: 'x', op: 'isSet' } } }],
  ['a type without records', { recordType: 'none' }],
])('%s makes a batch that is complete at once', async (_what, selector) => {
  const caller = await withSchedule(selector);
  const { body } = await caller.runNow();
  expect(body).toMatchObject({ recordCount: 0, status: 'completed' });
  expect(await finishedRuns(caller, caller.id)).toMatchObject([{ status: 'completed', totalRecords: 0 }]);
});

test('a listed record that was deleted fails, and the others run', async () => {
  const tenant = await newTenant();
  const [one, two] = await Promise.all([newRecord(tenant, { name: '1' }), newRecord(tenant, { name: '2' })]);
  const { path, flowId } = await scheduleSurface(tenant);
  const { id } = await createSchedule(tenant, path, { ...daily(flowId), recordIds: [one.id, two.id] });
  await expectStatus(204, tenant.call('DELETE', `/v1/records/${one.id}`));
  await makeDue(tenant, id, inSeconds(-1));
  await fire(tenant, id);
  expect(await finishedRuns(tenant, id)).toMatchObject([
    { totalRecords: 2, processedRecords: 2, failedRecords: 1 },
  ]);
});

test('runs are listed in pages, newest first', async () => {
  const caller = await withSchedule();
  for (const ago of [180, 120, 60]) {
    await caller.fireAt(inSeconds(-ago));
    await finishedRuns(caller, caller.id);
  }
  const page = (query: string) =>
    expectStatus(200, caller.call('GET', `/v1/schedules/${caller.id}/runs?${query}`));
  const first = await page('limit=2');
  expect(first.pagination).toMatchObject({ hasMore: true, limit: 2 });
  const second = await page(`limit=2&cursor=${first.pagination.nextCursor}`);
  const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
  expect(ids).toHaveLength(3);
  expect(ids).toEqual(ids.toSorted().toReversed());
  expect((await caller.call('GET', `/v1/schedules/${caller.id}/runs?limit=0`)).status).toBe(400);
});

test('deleting a surface ends its schedules', async () => {
  const caller = await withSchedule();
  const surface = `/v1/products/${caller.product.id}/surfaces/${caller.surface.id}`;
  await expectStatus(200, caller.call('DELETE', surface));
  expect((await caller.call('GET', `/v1/schedules/${caller.id}/runs`)).status).toBe(404);
  expect((await caller.call('GET', `${caller.path}/${caller.id}`)).status).toBe(404);
});

test('a published flow with several steps runs in a recordless run', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant, [template('one', 'first'), template('{{ first }} two', 'second')]);
  const { path } = await scheduleSurface(tenant);
  const { id } = await createSchedule(tenant, path, daily(flow.id));
  const { body } = await tenant.call('POST', `${path}/${id}/run-now`);
  expect(body).toMatchObject({ recordCount: 0 });
  await finishedRuns(tenant, id);
  const { body: status } = await tenant.call('GET', `/v1/batch/status/${body.batchExecutionId}`);
  expect(status.results).toMatchObject([{ output: 'one two' }]);
});
