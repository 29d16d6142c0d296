import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';
import { addItem, createProduct, createSurface, greetingProduct } from '../../support/surfaces/products.ts';

const canvas = { notes: [{ id: 'a', text: 'A note', x: 1, y: 2 }], capabilityPositions: { one: 1, two: 2 } };

test('a product is created, read, listed and deleted', async () => {
  const tenant = await newTenant();
  const spec = { productStage: 'beta', techStack: { backend: ['Node.js'] } };
  const given = { name: 'Airport desk', description: 'About airports', icon: '✈️', canvas, spec };
  const { testApiKey: _key, ...product } = await createProduct(tenant, given);
  expect(product).toEqual({
    ...given,
    id: expect.stringMatching(/^product_/),
    capabilities: [],
    surfaces: [],
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    dashboardUrl: `${stack().url}/console#/products/${product.id}`,
  });
  const path = `/v1/products/${product.id}`;
  expect(await expectStatus(200, tenant.call('GET', path))).toEqual(product);
  expect(await expectStatus(200, tenant.call('DELETE', path))).toEqual({ success: true });
  for (const method of ['GET', 'DELETE'] as const) {
    expect(await expectStatus(404, tenant.call(method, path))).toEqual(notFoundBody('Product'));
  }
  const { body } = await tenant.call('PUT', path, { body: { name: 'x' } });
  expect(body).toEqual(notFoundBody('Product'));
});

test('a product is returned with its capabilities and its surfaces with their items', async () => {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id);
  const item = await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id }));
  const whole = await expectStatus(200, tenant.call('GET', `/v1/products/${product.id}`));
  expect(whole).toMatchObject({
    capabilities: [capability],
    surfaces: [{ id: surface.id, name: 'A surface', type: 'api', items: [item] }],
  });
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/products'));
  expect(data).toEqual([
    {
      id: product.id,
      name: 'A product',
      description: null,
      icon: null,
      capabilities: [{ capabilityName: 'Greet' }],
      capabilityCount: 1,
      surfaces: [{ name: 'A surface', type: 'api' }],
      surfaceCount: 1,
      createdAt: product.createdAt,
      updatedAt: whole.updatedAt,
    },
  ]);
});

test.each<[string, object, object]>([
  ['the name', { name: 'Other' }, { name: 'Other' }],
  ['the description', { description: 'Other' }, { description: 'Other' }],
  ['no description', { description: null }, { description: null }],
  ['the icon', { icon: 'o' }, { icon: 'o' }],
  ['no icon', { icon: null }, { icon: null }],
  [
    'a member of the canvas',
    { canvas: { capabilityPositions: { two: null, three: 3 } } },
    { canvas: { ...canvas, capabilityPositions: { one: 1, three: 3 } } },
  ],
  [
    'a list of the canvas',
    { canvas: { notes: [] } },
    { canvas: { notes: [], capabilityPositions: { one: 1, two: 2 } } },
  ],
  ['no member of the spec', { spec: { productStage: null } }, { spec: { targetAudience: 'All' } }],
  [
    'another member of the spec',
    { spec: { techStack: { backend: ['Go'] } } },
    { spec: { productStage: 'idea', targetAudience: 'All', techStack: { backend: ['Go'] } } },
  ],
  ['nothing', {}, {}],
])('a change of %s leaves the rest', async (_what, changes, expected) => {
  const { call, ...tenant } = await newTenant();
  const given = {
    name: 'P',
    description: 'D',
    icon: 'i',
    canvas,
    spec: { productStage: 'idea', targetAudience: 'All' },
  };
  const { capabilities, surfaces, testApiKey, ...before } = await createProduct({ ...tenant, call }, given);
  expect({ capabilities, surfaces, testApiKey }).toEqual({
    capabilities: [],
    surfaces: [],
    testApiKey: expect.any(Object),
  });
  const after = await expectStatus(200, call('PUT', `/v1/products/${before.id}`, { body: changes }));
  expect(after).toEqual({ ...before, ...expected, updatedAt: expect.any(String) });
});

test.each<[object, string, string]>([
  [{}, 'name', 'MISSING_REQUIRED_FIELD'],
  [{ name: ' ' }, 'name', 'INVALID_FORMAT'],
  [{ name: 'x', icon: 'x'.repeat(51) }, 'icon', 'TOO_BIG'],
  [{ name: 'x', colour: 'red' }, 'colour', 'UNKNOWN_MEMBER'],
  [{ name: 'x', spec: { productStage: 'dream' } }, 'spec.productStage', 'INVALID_ENUM'],
  [
    { name: 'x', canvas: { notes: [{ id: 'a', text: 'b', x: '1', y: 2 }] } },
    'canvas.notes.0.x',
    'INVALID_TYPE',
  ],
  [{ name: 'x', canvas: { positions: {} } }, 'canvas.positions', 'UNKNOWN_MEMBER'],
])('400 for %j with the path, on create and, but for the name, on update', async (body, path, code) => {
  const { call, ...tenant } = await newTenant();
  const { details } = await expectStatus(400, call('POST', '/v1/products', { body }));
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
  if (code === 'MISSING_REQUIRED_FIELD') return;
  const { id } = await createProduct({ ...tenant, call });
  const updated = await expectStatus(400, call('PUT', `/v1/products/${id}`, { body }));
  expect(updated.details).toContainEqual(expect.objectContaining({ path, code }));
});

test('a product whose canvas grows beyond its limit is a 400, and stays', async () => {
  const tenant = await newTenant();
  const { id } = await createProduct(tenant);
  const notes = Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, text: 'x'.repeat(9_000), x: 0, y: 0 }));
  const path = `/v1/products/${id}`;
  const { details } = await expectStatus(400, tenant.call('PUT', path, { body: { canvas: { notes } } }));
  expect(details).toEqual([
    {
      path: 'canvas',
      code: 'TOO_LARGE',
      message: expect.stringMatching(/^canvas, spec and capabilities of a product/),
    },
  ]);
  expect((await expectStatus(200, tenant.call('GET', path))).canvas).toEqual({});
});

test('products are listed newest first by page, and found by a part of their name', async () => {
  const tenant = await newTenant();
  const names = ['Alpha', 'Beta', 'Alphabet'];
  for (const name of names) await createProduct(tenant, { name });
  const list = async (query: string) => {
    const { data, pagination } = await expectStatus(200, tenant.call('GET', `/v1/products?${query}`));
    return { names: data.map(({ name }: { name: string }) => name), pagination };
  };
  const first = await list('limit=2');
  expect(first.names).toEqual(['Alphabet', 'Beta']);
  expect((await list(`limit=2&cursor=${first.pagination.nextCursor}`)).names).toEqual(['Alpha']);
  expect((await list('search=ALPHA')).names).toEqual(['Alphabet', 'Alpha']);
  expect((await list('search=gamma')).names).toEqual([]);
  await expectStatus(400, tenant.call('GET', '/v1/products?limit=0'));
});

test('parallel changes of a product are all kept', async () => {
  const tenant = await newTenant();
  const { id } = await createProduct(tenant);
  const change = (n: number) =>
    tenant.call('PUT', `/v1/products/${id}`, { body: { canvas: { surfacePositions: { [`s${n}`]: n } } } });
  const answers = await Promise.all([1, 2, 3].map(change));
  const kept = answers.filter(({ status }) => status === 200).length;
  for (const { status } of answers) expect([200, 409]).toContain(status);
  const after = await expectStatus(200, tenant.call('GET', `/v1/products/${id}`));
  expect(Object.keys(after.canvas.surfacePositions)).toHaveLength(kept);
});
