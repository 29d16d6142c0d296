import { createFlow, expectStatus, template } from './flows.ts';
import { createProduct, createSurface } from './products.ts';
import type { Tenant } from './stack.ts';

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
