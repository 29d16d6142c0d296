import { createFlow, expectStatus, template } from '../flows/flows.ts';
import type { Tenant } from '../stack/stack.ts';

type Caller = Pick<Tenant, 'call'>;

export const createProduct = ({ call }: Caller, changes: object = {}) =>
  expectStatus(201, call('POST', '/v1/products', { body: { name: 'A product', ...changes } }));

export const addCapability = ({ call }: Caller, productId: string, body: object) =>
  call('POST', `/v1/products/${productId}/capabilities`, { body });

/** A product with a capability that greets its parameter `person`. */
export async function greetingProduct(caller: Caller) {
  const flow = await createFlow(caller, [template('Hello {{ person }}', 'greeting')]);
  const product = await createProduct(caller);
  const given = { capabilityName: 'Greet', flowId: flow.id };
  return { flow, product, capability: await expectStatus(201, addCapability(caller, product.id, given)) };
}

export const createSurface = ({ call }: Caller, productId: string, changes: object = {}) =>
  expectStatus(
    201,
    call('POST', `/v1/products/${productId}/surfaces`, {
      body: { name: 'A surface', type: 'api', ...changes },
    }),
  );

export const addItem = (
  { call }: Caller,
  { productId, id }: { productId: string; id: string },
  body: object,
) => call('POST', `/v1/products/${productId}/surfaces/${id}/items`, { body });
