import { scheduleEntity } from '../../../shared/domain/schedules/schedule.ts';
import { scheduleFirer } from '../../../shared/execution/schedules/fire-schedule.ts';
import { eventually } from '../stack/eventually.ts';
import { countingRuntime, type Tenant } from '../stack/stack.ts';
import { createProduct, createSurface } from '../surfaces/products.ts';
import { createFlow, expectStatus, template } from './flows.ts';

type Caller = Pick<Tenant, 'call'>;

/** A surface of the type schedule, with a flow. */
export async function scheduleSurface(caller: Caller, changes: object = {}) {
  const [product, flow] = await Promise.all([
    createProduct(caller),
    createFlow(caller, [template('Hello', 'greeting')]),
  ]);
  const surface = await createSurface(caller, product.id, { type: 'schedule', ...changes });
  const path = `/v1/products/${product.id}/surfaces/${surface.id}/schedules`;
  return { product, surface, flow, flowId: flow.id as string, path };
}

export const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

export const createSchedule = ({ call }: Caller, path: string, body: object) =>
  expectStatus(201, call('POST', path, { body }));

/** Every day, so that it does not fire during a test. */
export const daily = (flowId: string) => ({ flowId, triggerType: 'recurring', cron: '@daily' });

/** Makes a schedule due, past the API. The sweep of the stack does not learn of it. */
export async function makeDue(
  { tenant }: Pick<Tenant, 'tenant'>,
  id: string,
  nextRunAt: string,
): Promise<void> {
  const { table } = countingRuntime().scopeOf(tenant);
  await table.commit([
    table.writes.update(scheduleEntity, { id }, { set: { nextRunAt }, add: { revision: 1 } }),
  ]);
}

/** As a message of EventBridge Scheduler does. */
export const fire = ({ tenant }: Pick<Tenant, 'tenant'>, id: string) =>
  scheduleFirer(countingRuntime().scopeOf(tenant))(id, () => 60_000);

/** The runs of a schedule once none of them is active. */
export async function finishedRuns({ call }: Caller, id: string) {
  return eventually(async () => {
    const { data } = await expectStatus(200, call('GET', `/v1/schedules/${id}/runs`));
    const isOver = data.every(({ status }: { status: string }) => !['scheduled', 'running'].includes(status));
    if (data.length === 0 || !isOver) throw new Error(`The runs of ${id} are not over`);
    return data;
  }, 30_000);
}
