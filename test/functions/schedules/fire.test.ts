import { expect, test, vi } from 'vitest';
import { createRecords } from '../../support/flows.ts';
import { createSchedule, inSeconds, scheduleSurface } from '../../support/schedules.ts';
import { newTenant } from '../../support/stack.ts';

const within = { timeout: 20_000, interval: 200 };

test('a one-time schedule runs its flow on the records of a type at its time, and is then disabled', async () => {
  const tenant = await newTenant();
  const { flowId, path } = await scheduleSurface(tenant);
  await createRecords(tenant, 'airport', 3);
  const given = { flowId, triggerType: 'one_time', runAt: inSeconds(2), recordType: 'airport' };
  const schedule = await createSchedule(tenant, path, given);
  expect(schedule).toMatchObject({ enabled: true, nextRunAt: given.runAt, lastRunAt: null });
  await vi.waitFor(async () => {
    const { body } = await tenant.call('GET', `/v1/schedules/${schedule.id}/runs`);
    expect(body.data).toMatchObject([
      { status: 'completed', totalRecords: 3, processedRecords: 3, failedRecords: 0 },
    ]);
  }, within);
  const { body } = await tenant.call('GET', `${path}/${schedule.id}`);
  expect(body).toMatchObject({ enabled: false, nextRunAt: null, lastRunAt: expect.any(String) });
});

test('a schedule without records runs its flow once', async () => {
  const tenant = await newTenant();
  const { flowId, path } = await scheduleSurface(tenant);
  const schedule = await createSchedule(tenant, path, {
    flowId,
    triggerType: 'one_time',
    runAt: inSeconds(2),
  });
  await vi.waitFor(async () => {
    const { body } = await tenant.call('GET', `/v1/schedules/${schedule.id}/runs`);
    expect(body.data).toMatchObject([{ status: 'completed', totalRecords: 1, processedRecords: 1 }]);
  }, within);
});
