import {
  CreateScheduleCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { expect, test, vi } from 'vitest';
import { type Firing, firingEntity } from '../../../../shared/domain/schedules/firing.ts';
import { type Schedule, scheduleEntity } from '../../../../shared/domain/schedules/schedule.ts';
import { tenantBatchesMax } from '../../../../shared/execution/batches/slot-sharing.ts';
import { cleaner } from '../../../../shared/execution/cleaner.ts';
import { scheduleFirer } from '../../../../shared/execution/schedules/fire-schedule.ts';
import { firingStarter } from '../../../../shared/execution/schedules/start-firing.ts';
import { sweepSchedules } from '../../../../shared/execution/schedules/sweep-schedules.ts';
import { readTenant } from '../../../../shared/platform/data/keys.ts';
import { newRecord } from '../../../support/data/records.ts';
import { createFlow, expectStatus } from '../../../support/flows/flows.ts';
import {
  createSchedule,
  daily,
  finishedRuns,
  inSeconds,
  makeDue,
  scheduleSurface,
} from '../../../support/flows/schedules.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';
import '../../../support/suite/fresh-modules.ts';

const scheduler = new SchedulerClient({});
const GroupName = process.env.SCHEDULES_GROUP ?? '';
const timeLeft = () => 60_000;

async function withSchedule(changes: object = {}) {
  const tenant = await newTenant();
  const at = await scheduleSurface(tenant);
  const { id } = await createSchedule(tenant, at.path, { ...daily(at.flowId), ...changes });
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const item = () => scope.table.get(scheduleEntity, { id }, { consistent: true }) as Promise<Schedule>;
  const expressionOf = (name = `${id}-1`) =>
    scheduler.send(new GetScheduleCommand({ Name: name, GroupName })).then(
      ({ ScheduleExpression }) => ScheduleExpression,
      () => undefined,
    );
  const forget = () => scheduler.send(new DeleteScheduleCommand({ Name: `${id}-1`, GroupName }));
  /** Sweeps this tenant's items only: other tests have their own. */
  const sweep = async (due: Date) => {
    const { table } = countingRuntime().scopeOf('');
    async function* pages(range: Parameters<typeof table.pages>[0]) {
      for await (const page of table.pages(range))
        yield page.filter((item) => readTenant(item) === tenant.tenant);
    }
    const all = { ...scope, table: { ...table, pages } } as typeof scope;
    await sweepSchedules({ scopeOf: (name) => (name === '' ? all : scope) }, due, timeLeft);
  };
  return { ...tenant, ...at, id: id as string, scope, item, expressionOf, forget, sweep };
}

/** A Scheduler that answers every request with an error, for this test. */
async function brokenScheduler(name: string, status = 500) {
  const { url } = await loopback((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': name }).end('{}');
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SCHEDULER', url);
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
}

test('a firing whose process crashes before its batch exists makes its one batch in the sweep', async () => {
  const { scope, id, sweep, ...caller } = await withSchedule();
  await makeDue(caller, id, inSeconds(-1));
  const crash = vi.fn().mockRejectedValue(new Error('crashed'));
  const { commit } = scope.table;
  scope.table.commit = async (writes) => {
    await commit(writes);
    // The claim is stored. Nothing after it is.
    scope.table.commit = crash;
  };
  await expect(scheduleFirer(scope)(id, timeLeft)).rejects.toThrow('crashed');
  scope.table.commit = commit;
  const { data } = await expectStatus(200, caller.call('GET', `/v1/schedules/${id}/runs`));
  expect(data).toMatchObject([{ status: 'scheduled', batchExecutionId: null }]);
  await Promise.all([sweep(new Date(Date.now() + 130_000)), sweep(new Date(Date.now() + 130_000))]);
  const [run, ...more] = await finishedRuns(caller, id);
  expect(run).toMatchObject({ status: 'completed', id: data[0].id });
  expect(more).toEqual([]);
  expect((await caller.call('GET', '/v1/batch/summary')).body.recentlyCompleted).toBe(1);
});

test('starting a firing again makes the same batch, also at the same time', async () => {
  const { scope, id, item, ...caller } = await withSchedule();
  await makeDue(caller, id, inSeconds(-1));
  await scheduleFirer(scope)(id, timeLeft);
  const schedule = await item();
  const key = { scheduleId: id, id: schedule.lastFiring?.id ?? '' };
  const firing = (await scope.table.get(firingEntity, key)) as Firing;
  const { start } = firingStarter(scope);
  const again = await Promise.all([1, 2, 3].map(() => start(schedule, firing, timeLeft)));
  expect(again.map((batch) => batch.id)).toEqual(Array(3).fill(firing.batchId));
  const fresh = { ...firing, batchId: 'batch_01k9m4v7d3x8qz5w2r6t0y1hbn' };
  const { scopeOf, consumed } = countingRuntime();
  const counted = firingStarter(scopeOf(caller.tenant));
  const first = await Promise.all([1, 2, 3].map(() => counted.start(schedule, fresh, timeLeft)));
  expect(new Set(first.map((batch) => batch.id))).toEqual(new Set([fresh.batchId]));
  // Those that come too late do not try again: a webhook's sender waits for them.
  expect(consumed.commands.filter((name) => name === 'TransactWriteItems').length).toBeLessThan(8);
});

test('after the clock was set back, a schedule fires at the times of the new clock, also those that have fired', async () => {
  const { scope, id, item, ...caller } = await withSchedule();
  const wakeAt = (time: string) =>
    scheduleFirer({ ...scope, now: () => new Date(time) })(id, timeLeft).then(() => finishedRuns(caller, id));
  const first = (await item()).nextRunAt ?? '';
  await wakeAt(first);
  const second = (await item()).nextRunAt ?? '';
  expect(await wakeAt(second)).toHaveLength(2);
  expect(await wakeAt(new Date(Date.parse(first) - 120_000).toISOString())).toHaveLength(2);
  for (const _ of [1, 2]) expect(await wakeAt(first)).toHaveLength(3);
  expect((await item()).nextRunAt).toBe(second);
  for (const _ of [1, 2]) expect(await wakeAt(second)).toHaveLength(4);
});

test('the sweep fires a schedule that EventBridge Scheduler does not wake, once, and restores its entry', async () => {
  const { id, forget, sweep, expressionOf, item, ...caller } = await withSchedule({ cron: '@hourly' });
  await forget();
  await makeDue(caller, id, inSeconds(-100));
  const { nextRunAt, sweepAt } = await item();
  expect(Date.parse(sweepAt ?? '')).toBeGreaterThan(Date.parse(nextRunAt ?? ''));
  const due = new Date(Date.parse(sweepAt ?? '') + 1);
  await Promise.all([sweep(due), sweep(due)]);
  expect(await finishedRuns(caller, id)).toHaveLength(1);
  expect(await expressionOf()).toBe('cron(0 * * * ? *)');
  await sweep(new Date());
  expect(await finishedRuns(caller, id)).toHaveLength(1);
});

test.each([
  ['is throttled', 'ThrottlingException', 429],
  ['refuses', 'ValidationException', 400],
  ['is down', 'InternalServerException', 500],
])(
  'a schedule that is created while EventBridge Scheduler %s is repaired by the sweep',
  async (_what, name, status) => {
    const { path: _path, surface, product, flowId, tenant, scope, userId } = await withSchedule();
    await brokenScheduler(name, status);
    vi.resetModules();
    const { scheduleStore: fresh } = await import('../../../../shared/domain/schedules/schedule-store.ts');
    const place = { productId: product.id, surfaceId: surface.id };
    const principal = { userId, organizationId: null, environment: 'production', tenant } as never;
    const given = { ...daily(flowId), triggerType: 'recurring' } as const;
    const { id } = await fresh(scope).create(place, principal, given);
    vi.unstubAllEnvs();
    vi.resetModules();
    const stored = await scope.table.get(scheduleEntity, { id });
    expect(Date.parse(stored?.sweepAt ?? '')).toBeLessThan(Date.now() + 61_000);
    const { sweepSchedules: sweep } = await import(
      '../../../../shared/execution/schedules/sweep-schedules.ts'
    );
    const runtime = countingRuntime();
    const scopeOf = (name: string) => (name === '' ? runtime.scopeOf('') : scope);
    await sweep({ scopeOf }, new Date(Date.now() + 61_000), timeLeft);
    const { ScheduleExpression } = await scheduler.send(
      new GetScheduleCommand({ Name: `${id}-1`, GroupName }),
    );
    expect(ScheduleExpression).toBe('cron(0 0 * * ? *)');
    expect(await scope.table.get(scheduleEntity, { id })).toMatchObject({
      sweepAt: expect.stringMatching(/T00:01:30/),
    });
  },
);

test('an entry that EventBridge Scheduler has of an earlier state is replaced, never doubled', async () => {
  const { id, expressionOf, call, path } = await withSchedule({ enabled: false });
  const Target = {
    Arn: process.env.SCHEDULES_QUEUE_ARN,
    RoleArn: 'arn:aws:iam::000000000000:role/x',
    Input: '{}',
  };
  const FlexibleTimeWindow = { Mode: 'OFF' } as const;
  for (const Name of [`${id}-1`, `${id}-2`]) {
    const stray = { Name, GroupName, Target, FlexibleTimeWindow, ScheduleExpression: 'cron(1 1 1 1 ? *)' };
    await scheduler.send(new CreateScheduleCommand(stray));
  }
  await expectStatus(200, call('POST', `${path}/${id}/resume`));
  expect([await expressionOf(), await expressionOf(`${id}-2`)]).toEqual(['cron(0 0 * * ? *)', undefined]);
});

test('the clean-up of a surface removes its schedules, their history and their entries', async () => {
  const { id, scope, surface, expressionOf, item, ...caller } = await withSchedule();
  await makeDue(caller, id, inSeconds(-1));
  await scheduleFirer(scope)(id, timeLeft);
  await cleaner(scope)(surface.id);
  expect(await item()).toBeUndefined();
  expect(await expressionOf()).toBeUndefined();
  const { data } = await expectStatus(200, caller.call('GET', caller.path));
  expect(data).toEqual([]);
});

test('a batch that a tenant has no room for is started later', async () => {
  const { scope, id, item, sweep, ...caller } = await withSchedule();
  const waiting = await createFlow(caller, [
    { type: 'wait-until', name: 'w', config: { delayMs: 3_600_000 } },
  ]);
  const occupy = async () => {
    const other = await createSchedule(caller, caller.path, daily(waiting.id));
    await makeDue(caller, other.id, inSeconds(-1));
    await scheduleFirer(scope)(other.id, timeLeft);
  };
  await Promise.all(Array.from({ length: tenantBatchesMax }, occupy));
  await makeDue(caller, id, inSeconds(-1));
  await scheduleFirer(scope)(id, timeLeft);
  const { data } = await expectStatus(200, caller.call('GET', `/v1/schedules/${id}/runs`));
  expect(data).toMatchObject([{ status: 'scheduled', error: null, batchExecutionId: null }]);
  const { body } = await caller.call('GET', '/v1/batch/summary');
  await expectStatus(200, caller.call('POST', `/v1/batch/cancel/${body.batches[0].id}`));
  await sweep(new Date(Date.now() + 130_000));
  expect(await finishedRuns(caller, id)).toMatchObject([{ status: 'completed' }]);
}, 60_000);

test('a firing that cannot start says why', async () => {
  const where = { field: 'name', op: 'isSet' };
  const { scope, id, ...caller } = await withSchedule({ recordFilter: { type: 'a', where } });
  await newRecord(caller, { name: 'one' });
  await makeDue(caller, id, inSeconds(-1));
  await scheduleFirer(scope)(id, () => 0);
  expect(await finishedRuns(caller, id)).toMatchObject([
    {
      status: 'failed',
      error: expect.stringContaining('have to read more than'),
      completedAt: expect.any(String),
    },
  ]);
});
