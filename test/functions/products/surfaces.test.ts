import { expect, test } from 'vitest';
import { surfaceTypeNames, surfaceTypes } from '../../../shared/domain/surfaces/surface/surface.ts';
import { createAgent } from '../../support/agents/agents.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant } from '../../support/stack/stack.ts';
import {
  addCapability,
  addItem,
  createProduct,
  createSurface,
  greetingProduct,
} from '../../support/surfaces/products.ts';

const missing = (kind: string) => `${kind}_${'0'.repeat(26)}`;
const pathOf = ({ productId, id }: { productId: string; id: string }) =>
  `/v1/products/${productId}/surfaces/${id}`;

test('a surface is created with its defaults, read, listed and deleted', async () => {
  const tenant = await newTenant();
  const { id: productId } = await createProduct(tenant);
  const surface = await createSurface(tenant, productId, { behavior: { a: 1 }, inbound: { b: 2 } });
  expect(surface).toEqual({
    id: expect.stringMatching(/^surface_/),
    productId,
    name: 'A surface',
    type: 'api',
    environment: 'development',
    status: 'draft',
    behavior: { a: 1 },
    inbound: { b: 2 },
    outbound: {},
    items: [],
    keys: [],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(await expectStatus(200, tenant.call('GET', pathOf(surface)))).toEqual(surface);
  const { items: _items, keys: _keys, ...listed } = surface;
  const list = () => expectStatus(200, tenant.call('GET', `/v1/products/${productId}/surfaces`));
  expect((await list()).data).toEqual([listed]);
  expect(await expectStatus(200, tenant.call('DELETE', pathOf(surface)))).toEqual({ success: true });
  expect((await list()).data).toEqual([]);
  expect((await expectStatus(200, tenant.call('GET', `/v1/products/${productId}`))).surfaces).toEqual([]);
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    const answer = tenant.call(method, pathOf(surface), method === 'PUT' ? { body: {} } : {});
    expect(await expectStatus(404, answer)).toEqual(notFoundBody('Surface'));
  }
});

test.each<[string, object, object]>([
  ['the name', { name: 'Other' }, { name: 'Other' }],
  ['the environment', { environment: 'production' }, { environment: 'production' }],
  ['the status', { status: 'paused' }, { status: 'paused' }],
  ['a member of the behavior', { behavior: { one: { c: 3 } } }, { behavior: { one: { c: 3 }, two: 2 } }],
  ['no member of the behavior', { behavior: { one: null } }, { behavior: { two: 2 } }],
  ['the behavior as config', { config: { two: 3 } }, { behavior: { one: { a: 1 }, two: 3 } }],
  ['inbound', { inbound: { y: 1 } }, { inbound: { y: 1 } }],
  ['outbound', { outbound: {} }, { outbound: {} }],
  ['nothing', {}, {}],
])('a change of %s leaves the rest', async (_what, changes, expected) => {
  const tenant = await newTenant();
  const { id: productId } = await createProduct(tenant);
  const given = { behavior: { one: { a: 1 }, two: 2 }, inbound: { x: 1 }, outbound: { x: 1 } };
  const { items: _items, keys: _keys, ...before } = await createSurface(tenant, productId, given);
  const changed = await expectStatus(200, tenant.call('PUT', pathOf(before), { body: changes }));
  expect(changed).toEqual({ ...before, ...expected, updatedAt: expect.any(String) });
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/products'));
  expect(data[0].surfaces).toEqual([{ name: changed.name, type: 'api' }]);
});

test.each(surfaceTypeNames)(
  'a surface of the type %s can be stored; without its channel it cannot be active',
  async (type) => {
    const tenant = await newTenant();
    const { id: productId } = await createProduct(tenant);
    const surface = await createSurface(tenant, productId, { type });
    const isMessaging = 'channel' in surfaceTypes[type];
    const status = { status: 'active' };
    const path = `/v1/products/${productId}/surfaces`;
    const created = await tenant.call('POST', path, { body: { name: 'x', type, ...status } });
    expect(created.status).toBe(isMessaging ? 400 : 201);
    const changed = await tenant.call('PUT', pathOf(surface), { body: status });
    expect(changed.status).toBe(isMessaging ? 422 : 200);
    if (!isMessaging) return;
    const refused = [expect.objectContaining({ path: 'status', code: 'CHANNEL_NOT_CONNECTED' })];
    expect([created.body.details, changed.body.details]).toEqual([refused, refused]);
  },
);

test.each<[object, string, string]>([
  [{ type: 'api' }, 'name', 'MISSING_REQUIRED_FIELD'],
  [{ name: 'x' }, 'type', 'MISSING_REQUIRED_FIELD'],
  [{ name: 'x', type: 'fax' }, 'type', 'INVALID_ENUM'],
  [{ name: 'x', type: 'api', status: 'on' }, 'status', 'INVALID_ENUM'],
  [{ name: 'x', type: 'api', environment: 'test' }, 'environment', 'INVALID_ENUM'],
  [{ name: 'x', type: 'api', behavior: [] }, 'behavior', 'INVALID_TYPE'],
  [{ name: 'x', type: 'api', inbound: { x: 'x'.repeat(100_000) } }, 'inbound', 'TOO_LARGE'],
])('400 for %j', async (body, path, code) => {
  const tenant = await newTenant();
  const { id } = await createProduct(tenant);
  const { details } = await expectStatus(400, tenant.call('POST', `/v1/products/${id}/surfaces`, { body }));
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
  expect((await expectStatus(200, tenant.call('GET', `/v1/products/${id}`))).surfaces).toEqual([]);
});

test('surfaces are listed newest first by page, and filtered', async () => {
  const tenant = await newTenant();
  const { id } = await createProduct(tenant);
  const made = [
    { name: 'one', type: 'api', status: 'active' },
    { name: 'two', type: 'webhook' },
    { name: 'three', type: 'api', environment: 'production' },
  ];
  for (const changes of made) await createSurface(tenant, id, changes);
  const names = async (query: string) => {
    const { data } = await expectStatus(200, tenant.call('GET', `/v1/products/${id}/surfaces?${query}`));
    return data.map(({ name }: { name: string }) => name);
  };
  expect(await names('')).toEqual(['three', 'two', 'one']);
  expect(await names('limit=1')).toEqual(['three']);
  expect(await names('type=api')).toEqual(['three', 'one']);
  expect(await names('type=api&status=draft')).toEqual(['three']);
  expect(await names('environment=production')).toEqual(['three']);
  await expectStatus(400, tenant.call('GET', `/v1/products/${id}/surfaces?type=fax`));
  await expectStatus(404, tenant.call('GET', `/v1/products/${missing('product')}/surfaces`));
});

test('a product has at most 40 surfaces, and is deleted with all of them', async () => {
  const tenant = await newTenant();
  const { id } = await createProduct(tenant);
  const surfaces = [];
  for (let n = 0; n < 40; n++) surfaces.push(await createSurface(tenant, id));
  const path = `/v1/products/${id}/surfaces`;
  const { details } = await expectStatus(
    409,
    tenant.call('POST', path, { body: { name: 'x', type: 'api' } }),
  );
  expect(details).toEqual([expect.objectContaining({ code: 'LIMIT_REACHED' })]);
  await expectStatus(200, tenant.call('DELETE', `/v1/products/${id}`));
  for (const surface of [surfaces[0], surfaces[39]])
    await expectStatus(404, tenant.call('GET', pathOf(surface)));
});

test('a surface tells what its items expose', async () => {
  const tenant = await newTenant();
  const { product, capability, flow } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id);
  const item = await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  expect((await expectStatus(200, tenant.call('GET', pathOf(surface)))).items).toEqual([
    {
      ...item,
      capabilityName: 'Greet',
      flowId: flow.id,
      agentId: null,
      agentType: null,
      cachedSkills: null,
      parametersSchema: capability.parametersSchema,
    },
  ]);
});

test('a surface tells the kind and the skills of an agent, and its keys without their values', async () => {
  const tenant = await newTenant();
  const { id: productId } = await createProduct(tenant);
  const surface = await createSurface(tenant, productId);
  const skill = { id: 'book', name: 'Book a flight', description: 'Books' };
  const cachedAgentCard = { name: 'Guide', fetchedAt: '2026-11-22T09:30:00.000Z', skills: [skill] };
  const externalConfig = { endpoint: 'https://agent.example/a2a', cachedAgentCard };
  const agent = await createAgent(tenant, { agentType: 'external', externalConfig });
  const given = { capabilityName: 'Book', agentId: agent.id };
  const capability = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const created = await expectStatus(201, tenant.call('POST', `${pathOf(surface)}/keys`, { body: {} }));
  const whole = await expectStatus(200, tenant.call('GET', pathOf(surface)));
  expect(whole).toMatchObject({
    items: [
      { agentId: agent.id, agentType: 'external', cachedSkills: [{ id: 'book', name: 'Book a flight' }] },
    ],
    keys: [{ id: created.id, isDevelopment: true, usageCount: 0 }],
  });
  expect(JSON.stringify(whole)).not.toContain(created.key);
});
