import { DeleteScheduleCommand, GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { scheduleEntity } from '../../../shared/domain/schedules/schedule.ts';
import { documentClient } from '../../../shared/platform/data/client.ts';
import { toStoredKey } from '../../../shared/platform/data/keys.ts';
import { newRecord } from '../../support/data/records.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { createSchedule, daily, inSeconds, scheduleSurface } from '../../support/flows/schedules.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';
import { createSurface } from '../../support/surfaces/products.ts';

const scheduler = new SchedulerClient({});
const GroupName = process.env.SCHEDULES_GROUP ?? '';

/** What EventBridge Scheduler has of a schedule. */
async function wakeUpsOf(id: string) {
  const get = (Name: string) =>
    scheduler.send(new GetScheduleCommand({ Name, GroupName })).then(
      ({ ScheduleExpression, ScheduleExpressionTimezone }) => ({
        ScheduleExpression,
        ScheduleExpressionTimezone,
      }),
      () => undefined,
    );
  return (await Promise.all([get(`${id}-1`), get(`${id}-2`)])).filter((each) => each !== undefined);
}

async function withSchedule(changes: object = {}) {
  const tenant = await newTenant();
  const at = await scheduleSurface(tenant);
  const schedule = await createSchedule(tenant, at.path, { ...daily(at.flowId), ...changes });
  const put = (body: object) => tenant.call('PUT', `${at.path}/${schedule.id}`, { body });
  const get = () => expectStatus(200, tenant.call('GET', `${at.path}/${schedule.id}`));
  const act = (verb: string) => tenant.call('POST', `${at.path}/${schedule.id}/${verb}`);
  return { ...tenant, ...at, schedule, put, get, act };
}

test('the list names the flows of schedules that an earlier release stored', async () => {
  const { schedule, path, call, tenant } = await withSchedule();
  const update = new UpdateCommand({
    TableName: stack().table,
    Key: toStoredKey(tenant, scheduleEntity.key(schedule)),
    UpdateExpression: 'SET flowId = summary.flowId REMOVE summary',
  });
  await documentClient().send(update);
  const { body } = await call('GET', path);
  expect(body.data).toMatchObject([{ id: schedule.id, flowName: 'A flow' }]);
});

test('a schedule is created, listed, read and deleted, and EventBridge Scheduler follows', async () => {
  const { schedule, path, call, flowId, userId, surface } = await withSchedule({ timezone: 'Europe/Berlin' });
  expect(schedule).toMatchObject({
    flowId,
    userId,
    triggerType: 'recurring',
    cron: '@daily',
    timezone: 'Europe/Berlin',
    enabled: true,
    runAt: null,
    lastRunAt: null,
    recordIds: null,
    recordType: null,
    recordFilter: null,
    executionOptions: {},
    productSurfaceId: surface.id,
  });
  expect(new Date(schedule.nextRunAt).getTime()).toBeGreaterThan(Date.now());
  const { body: list } = await call('GET', path);
  expect(list.data).toEqual([{ ...schedule, flowName: 'A flow' }]);
  const { body: one } = await call('GET', `${path}/${schedule.id}`);
  expect(one).toEqual({ ...schedule, flowName: 'A flow', recentRuns: [] });
  expect(await wakeUpsOf(schedule.id)).toEqual([
    { ScheduleExpression: 'cron(0 0 * * ? *)', ScheduleExpressionTimezone: 'Europe/Berlin' },
  ]);
  expect((await call('DELETE', `${path}/${schedule.id}`)).body).toEqual({ success: true });
  expect((await call('GET', `${path}/${schedule.id}`)).status).toBe(404);
  expect((await call('GET', `/v1/schedules/${schedule.id}/runs`)).status).toBe(404);
  expect((await call('GET', path)).body.data).toEqual([]);
  await eventually(async () => expect(await wakeUpsOf(schedule.id)).toEqual([]));
});

test('a schedule with both kinds of days has two entries in EventBridge Scheduler, and loses the second with them', async () => {
  const { schedule, put } = await withSchedule({ cron: '0 9 13 * FRI' });
  const expressions = async () =>
    (await wakeUpsOf(schedule.id)).map(({ ScheduleExpression }) => ScheduleExpression);
  expect(await expressions()).toEqual(['cron(0 9 13 * ? *)', 'cron(0 9 ? * 6 *)']);
  expect((await put({ cron: '0 9 * * FRI' })).status).toBe(200);
  expect(await expressions()).toEqual(['cron(0 9 ? * 6 *)']);
});

test.each([
  ['*/15 * * * *', 'Europe/Oslo', 'UTC'],
  ['*/15 * * * *', 'Asia/Kolkata', 'Asia/Kolkata'],
  ['0 */2 * * *', 'Europe/Oslo', 'Europe/Oslo'],
  ['0 * * * FRI', 'Europe/Oslo', 'Europe/Oslo'],
])(
  'a job of each hour wakes by UTC, so also in an hour that comes twice: %s in %s',
  async (cron, timezone, by) => {
    const { schedule } = await withSchedule({ cron, timezone });
    expect(await wakeUpsOf(schedule.id)).toMatchObject([{ ScheduleExpressionTimezone: by }]);
  },
);

test('pause and resume change enabled and the next time, and what EventBridge Scheduler has', async () => {
  const { schedule, act, get } = await withSchedule();
  expect(await act('pause')).toMatchObject({ status: 200, body: { status: 'paused' } });
  expect(await get()).toMatchObject({ enabled: false, nextRunAt: null });
  expect(await wakeUpsOf(schedule.id)).toEqual([]);
  expect((await act('pause')).status).toBe(200);
  expect(await act('resume')).toMatchObject({ status: 200, body: { status: 'active' } });
  expect(await get()).toMatchObject({ enabled: true, nextRunAt: schedule.nextRunAt });
  expect(await wakeUpsOf(schedule.id)).toHaveLength(1);
});

test('each member can be updated by itself: absent leaves it, null clears it, a value replaces it', async () => {
  const tenant = await newTenant();
  const { flowId, path } = await scheduleSurface(tenant);
  const record = await newRecord(tenant, { name: 'one' });
  const other = await scheduleSurface(tenant);
  const steps: { sent: object; expected: object }[] = [
    { sent: {}, expected: {} },
    { sent: { flowId: other.flowId }, expected: { flowId: other.flowId } },
    {
      sent: { timezone: 'Asia/Kolkata' },
      expected: { timezone: 'Asia/Kolkata', nextRunAt: expect.stringContaining('T18:30:00') },
    },
    {
      sent: { timezone: null },
      expected: { timezone: null, nextRunAt: expect.stringContaining('T00:00:00') },
    },
    { sent: { recordType: 'airport' }, expected: { recordType: 'airport' } },
    { sent: { recordType: null }, expected: { recordType: null } },
    { sent: { recordIds: [record.id] }, expected: { recordIds: [record.id] } },
    {
      sent: { recordFilter: { type: 'a', where: { field: 'name', op: 'eq', value: 'x' } } },
      expected: {
        recordIds: null,
        recordFilter: { type: 'a', where: { field: 'name', op: 'eq', value: 'x' } },
      },
    },
    { sent: { recordFilter: null }, expected: { recordFilter: null } },
    { sent: { recordIds: [record.id] }, expected: { recordIds: [record.id] } },
    { sent: { recordIds: [] }, expected: { recordIds: null } },
    {
      sent: { executionOptions: { chunkSize: 5, timeoutMs: 60_000 } },
      expected: { executionOptions: { chunkSize: 5, timeoutMs: 60_000 } },
    },
    { sent: { executionOptions: { chunkSize: 6 } }, expected: { executionOptions: { chunkSize: 6 } } },
    {
      sent: { cron: '0 0 1 1 *' },
      expected: { cron: '0 0 1 1 *', nextRunAt: expect.stringMatching(/-01-01T00:00:00.000Z$/) },
    },
    { sent: { enabled: false }, expected: { enabled: false, nextRunAt: null } },
    {
      sent: { enabled: true },
      expected: { enabled: true, nextRunAt: expect.stringMatching(/-01-01T00:00:00.000Z$/) },
    },
    {
      sent: { triggerType: 'one_time', runAt: '2100-01-01T00:00:00+01:00' },
      expected: {
        triggerType: 'one_time',
        cron: null,
        runAt: '2099-12-31T23:00:00.000Z',
        nextRunAt: '2099-12-31T23:00:00.000Z',
      },
    },
    {
      sent: { runAt: '2101-01-01T00:00:00Z' },
      expected: { runAt: '2101-01-01T00:00:00.000Z', nextRunAt: '2101-01-01T00:00:00.000Z' },
    },
    {
      sent: { triggerType: 'recurring', cron: '0 0 1 1 *' },
      expected: {
        triggerType: 'recurring',
        cron: '0 0 1 1 *',
        runAt: null,
        nextRunAt: expect.stringMatching(/-01-01T00/),
      },
    },
  ];
  let current = await createSchedule(tenant, path, daily(flowId));
  for (const { sent, expected } of steps) {
    const { status, body } = await tenant.call('PUT', `${path}/${current.id}`, { body: sent });
    expect(status, JSON.stringify([sent, body])).toBe(200);
    expect(body).toEqual({ ...current, ...expected, updatedAt: expect.any(String) });
    current = body;
  }
});

const record = 'record_01k9m4v7d3x8qz5w2r6t0y1hbn';

test.each([
  ['no cron', { cron: undefined }, 'cron', 'MISSING_REQUIRED_FIELD'],
  ['no runAt', { triggerType: 'one_time', cron: undefined }, 'runAt', 'MISSING_REQUIRED_FIELD'],
  ['cron and runAt', { runAt: '2100-01-01T00:00:00Z' }, 'runAt', 'INVALID_VALUE'],
  ['runAt and cron', { triggerType: 'one_time', runAt: '2100-01-01T00:00:00Z' }, 'cron', 'INVALID_VALUE'],
  [
    'a runAt in the past',
    { triggerType: 'one_time', cron: undefined, runAt: '2020-01-01T00:00:00Z' },
    'runAt',
    'IN_THE_PAST',
  ],
  [
    'a runAt in the past, disabled',
    { triggerType: 'one_time', cron: undefined, enabled: false, runAt: '2020-01-01T00:00:00Z' },
    'runAt',
    'IN_THE_PAST',
  ],
  [
    'a runAt after 2199',
    { triggerType: 'one_time', cron: undefined, runAt: '9999-01-01T00:00:00Z' },
    'runAt',
    'INVALID_VALUE',
  ],
  [
    'a runAt without a zone',
    { triggerType: 'one_time', cron: undefined, runAt: '2100-01-01T00:00:00' },
    'runAt',
    'INVALID_FORMAT',
  ],
  ['a cron of six fields', { cron: '0 * * * * *' }, 'cron', 'INVALID_FORMAT'],
  ['a cron that never matches', { cron: '0 0 31 2 *' }, 'cron', 'INVALID_FORMAT'],
  ['a cron with L', { cron: '0 0 L * *' }, 'cron', 'INVALID_FORMAT'],
  ['a cron with #', { cron: '0 0 * * 5#2' }, 'cron', 'INVALID_FORMAT'],
  ['an unknown nickname', { cron: '@reboot' }, 'cron', 'INVALID_FORMAT'],
  ['an unknown zone', { timezone: 'Mars/Olympus' }, 'timezone', 'INVALID_VALUE'],
  ['an offset for a zone', { timezone: '+01:00' }, 'timezone', 'INVALID_VALUE'],
  ['an unknown trigger', { triggerType: 'sometimes' }, 'triggerType', 'INVALID_ENUM'],
  ['two selectors', { recordType: 'a', recordIds: [record] }, 'recordType', 'SEVERAL_TARGETS'],
  ['two selectors', { recordType: 'a', recordFilter: { type: 'a' } }, 'recordFilter', 'SEVERAL_TARGETS'],
  ['an empty record type', { recordType: '' }, 'recordType', 'TOO_SMALL'],
  [
    'a filter whose value does not fit',
    { recordFilter: { type: 'a', where: { field: 'x', op: 'between', value: 1 } } },
    'recordFilter.where',
    'INVALID_VALUE',
  ],
  ['a chunkSize of 251', { executionOptions: { chunkSize: 251 } }, 'executionOptions.chunkSize', 'TOO_BIG'],
  [
    'a timeoutMs under a minute',
    { executionOptions: { timeoutMs: 59_999 } },
    'executionOptions.timeoutMs',
    'TOO_SMALL',
  ],
  [
    'a progressFlushSize of 101',
    { executionOptions: { progressFlushSize: 101 } },
    'executionOptions.progressFlushSize',
    'TOO_BIG',
  ],
  [
    'a recordConcurrency of 51',
    { executionOptions: { recordConcurrency: 51 } },
    'executionOptions.recordConcurrency',
    'TOO_BIG',
  ],
  ['an unknown option', { executionOptions: { speed: 1 } }, 'executionOptions.speed', 'UNKNOWN_MEMBER'],
])('400 on create for %s', async (_what, changes, path, code) => {
  const { call } = tenant;
  const at = await place;
  const { status, body } = await call('POST', at.path, { body: { ...daily(at.flowId), ...changes } });
  expect({ status, details: body.details }).toMatchObject({ status: 400, details: [{ path, code }] });
});
const tenant = await newTenant();
const place = scheduleSurface(tenant);

test.each([
  ['a cleared cron', { cron: null }, 'cron', 'MISSING_REQUIRED_FIELD'],
  ['a runAt beside the cron', { runAt: '2100-01-01T00:00:00Z' }, 'runAt', 'INVALID_VALUE'],
  ['another trigger without its time', { triggerType: 'one_time' }, 'runAt', 'MISSING_REQUIRED_FIELD'],
  ['a time in the past', { triggerType: 'one_time', runAt: '2020-01-01T00:00:00Z' }, 'runAt', 'IN_THE_PAST'],
  ['two selectors', { recordType: 'a', recordFilter: { type: 'a' } }, 'recordFilter', 'SEVERAL_TARGETS'],
  ['null for the records', { recordIds: null }, 'recordIds', 'INVALID_TYPE'],
])('400 on update for %s', async (_what, body, path, code) => {
  const { put, get, schedule } = await withSchedule();
  const answer = await put(body);
  expect({ status: answer.status, details: answer.body.details }).toMatchObject({
    status: 400,
    details: [{ path, code }],
  });
  expect(await get()).toMatchObject(schedule);
});

test('a schedule that fires once cannot resume after its time', async () => {
  const { put, act } = await withSchedule({
    triggerType: 'one_time',
    cron: undefined,
    runAt: inSeconds(2),
    enabled: false,
  });
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect(await act('resume')).toMatchObject({
    status: 400,
    body: { details: [{ path: 'runAt', code: 'IN_THE_PAST' }] },
  });
  expect((await put({ enabled: true })).status).toBe(400);
});

test('400 for the schedules of a surface of another type', async () => {
  const caller = await newTenant();
  const { product, flowId } = await scheduleSurface(caller);
  const surface = await createSurface(caller, product.id, { type: 'api' });
  const path = `/v1/products/${product.id}/surfaces/${surface.id}/schedules`;
  const details = [{ path: 'surfaceId', code: 'INVALID_VALUE', message: expect.stringContaining('api') }];
  expect(await caller.call('POST', path, { body: daily(flowId) })).toMatchObject({
    status: 400,
    body: { details },
  });
  expect(await caller.call('GET', path)).toMatchObject({ status: 400, body: { details } });
});

const unknown = (prefix: string) => `${prefix}_01k9m4v7d3x8qz5w2r6t0y1hbn`;

test('404 for an unknown product, surface, schedule, flow or record', async () => {
  const { call, path, flowId, product, surface, schedule } = await withSchedule();
  const create = (at: string, changes: object = {}) =>
    call('POST', at, { body: { ...daily(flowId), ...changes } });
  const elsewhere = [
    `/v1/products/${unknown('product')}/surfaces/${surface.id}/schedules`,
    `/v1/products/${product.id}/surfaces/${unknown('surface')}/schedules`,
  ];
  for (const at of elsewhere) {
    expect(await create(at)).toMatchObject({ status: 404, body: { error: 'Surface not found' } });
    expect((await call('GET', at)).status).toBe(404);
    expect((await call('GET', `${at}/${schedule.id}`)).status).toBe(404);
  }
  expect(await create(path, { flowId: unknown('flow') })).toMatchObject({
    status: 404,
    body: { error: 'Flow not found' },
  });
  expect(await create(path, { recordIds: [unknown('record')] })).toMatchObject({
    status: 404,
    body: { error: 'Record not found', details: [{ path: 'recordIds.0' }] },
  });
  const one = `${path}/${unknown('schedule')}`;
  const requests = [
    ['GET', one],
    ['PUT', one],
    ['DELETE', one],
    ['POST', `${one}/pause`],
    ['POST', `${one}/resume`],
    ['POST', `${one}/run-now`],
    ['GET', `/v1/schedules/${unknown('schedule')}/runs`],
  ] as const;
  for (const [method, at] of requests) {
    const answer = await call(method, at, method === 'PUT' ? { body: {} } : {});
    expect(answer, `${method} ${at}`).toMatchObject({ status: 404, body: { error: 'Schedule not found' } });
  }
});

test('a schedule of another surface is a 404', async () => {
  const caller = await withSchedule();
  const surface = await createSurface(caller, caller.product.id, { type: 'schedule' });
  const path = `/v1/products/${caller.product.id}/surfaces/${surface.id}/schedules/${caller.schedule.id}`;
  expect((await caller.call('GET', path)).status).toBe(404);
  expect((await caller.call('DELETE', path)).status).toBe(404);
});

test('writing takes FLOWS:EXECUTE too', async () => {
  const { organizationId, ...all } = await newTenant({ organizationId: `org-${Math.random()}` });
  const { path, flowId } = await scheduleSurface(all);
  const schedule = await createSchedule(all, path, daily(flowId));
  const { call } = await newTenant({ organizationId: organizationId ?? '', permissions: ['PRODUCTS:*'] });
  const one = `${path}/${schedule.id}`;
  const refused = { status: 403, body: { details: 'Missing required permission: FLOWS:EXECUTE' } };
  expect(await call('POST', path, { body: daily(flowId) })).toMatchObject(refused);
  expect(await call('PUT', one, { body: {} })).toMatchObject(refused);
  expect(await call('DELETE', one)).toMatchObject(refused);
  for (const verb of ['pause', 'resume', 'run-now']) {
    expect(await call('POST', `${one}/${verb}`)).toMatchObject(refused);
  }
  expect((await call('GET', one)).status).toBe(200);
});

test('409 for the 101st schedule of a surface, also for parallel requests; a deleted one makes room', async () => {
  const caller = await newTenant();
  const { path, flowId } = await scheduleSurface(caller);
  const body = { ...daily(flowId), enabled: false };
  const answers: number[] = [];
  for (let round = 0; round < 4; round++) {
    const made = await Promise.all(Array.from({ length: 26 }, () => caller.call('POST', path, { body })));
    answers.push(...made.map(({ status }) => status));
  }
  expect(answers.filter((status) => status === 201)).toHaveLength(100);
  expect(answers.filter((status) => status === 409)).toHaveLength(4);
  const { body: list } = await caller.call('GET', path);
  expect(list.data).toHaveLength(100);
  await expectStatus(200, caller.call('DELETE', `${path}/${list.data[0].id}`));
  await createSchedule(caller, path, body);
}, 60_000);

test('a change that EventBridge Scheduler does not take is stored, and the sweep repeats it', async () => {
  const { schedule, put } = await withSchedule();
  // As if the service had crashed before it told EventBridge Scheduler.
  await scheduler.send(new DeleteScheduleCommand({ Name: `${schedule.id}-1`, GroupName }));
  expect((await put({ flowId: schedule.flowId })).status).toBe(200);
  expect(await wakeUpsOf(schedule.id)).toEqual([]);
  expect((await put({ cron: '@hourly' })).status).toBe(200);
  expect(await wakeUpsOf(schedule.id)).toMatchObject([{ ScheduleExpression: 'cron(0 * * * ? *)' }]);
});
