import { expect, test } from 'vitest';
import { createAgent } from '../../support/agents/agents.ts';
import { createFlow, expectStatus, template } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';
import {
  addCapability,
  addItem,
  createProduct,
  createSurface,
  greetingProduct,
} from '../../support/surfaces/products.ts';

const missing = (kind: string) => `${kind}_${'0'.repeat(26)}`;
const pathOf = ({ productId, id }: { productId: string; id: string }) =>
  `/v1/products/${productId}/capabilities/${id}`;

/** What a product derives for a flow of these steps. */
async function derivedFor(tenant: Tenant, steps: object[]) {
  const flow = await createFlow(tenant, steps);
  const product = await createProduct(tenant);
  const body = { capabilityName: 'c', flowId: flow.id };
  return (await expectStatus(201, addCapability(tenant, product.id, body))).parametersSchema;
}

test('a capability runs a flow or an agent, with derived parameters or those given', async () => {
  const tenant = await newTenant();
  const { product, flow, capability } = await greetingProduct(tenant);
  expect(capability).toEqual({
    id: expect.stringMatching(/^cap_/),
    productId: product.id,
    capabilityName: 'Greet',
    capabilityDescription: null,
    flowId: flow.id,
    agentId: null,
    enabled: true,
    displayOrder: 0,
    parametersSchema: { type: 'object', properties: { person: {} }, required: ['person'] },
    createdAt: expect.any(String),
  });
  const agent = await createAgent(tenant);
  const asked = { capabilityName: 'Ask', agentId: agent.id, flowId: null, capabilityDescription: 'd' };
  expect(await expectStatus(201, addCapability(tenant, product.id, asked))).toMatchObject({
    ...asked,
    displayOrder: 1,
    parametersSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  });
  const parametersSchema = { type: 'object', properties: { person: { type: 'string' } } };
  for (const [capabilityName, schema] of [
    ['given', parametersSchema],
    ['any', null],
  ] as const) {
    const body = { capabilityName, flowId: flow.id, parametersSchema: schema, enabled: false };
    expect(await expectStatus(201, addCapability(tenant, product.id, body))).toMatchObject(body);
  }
});

test('the parameters of a flow are what its steps read and none of them sets', async () => {
  const tenant = await newTenant();
  expect(
    await derivedFor(tenant, [
      template('{{ name }} {{ address.city }} {{ tags[0] }} {{ tags.size }} {{ _record.name }}', 'text'),
      template('{% for guest in guests %}{{ guest.name }}{% endfor %} {{ text }}', 'letter'),
      {
        type: 'transform-data',
        name: 'count',
        config: { script: 'return typeof extra === "undefined" ? amount : extra', outputVariable: 'sum' },
      },
    ]),
  ).toEqual({
    type: 'object',
    properties: {
      name: {},
      address: { type: 'object' },
      tags: { type: 'array' },
      guests: { type: 'array' },
      extra: {},
      amount: {},
    },
    required: ['name', 'address', 'tags', 'guests', 'amount'],
  });
  expect(await derivedFor(tenant, [template('nothing')])).toEqual({ type: 'object', properties: {} });
});

test.each<[string, object, object]>([
  ['the name', { capabilityName: 'Other' }, { capabilityName: 'Other' }],
  ['its own name', { capabilityName: 'Greet' }, {}],
  ['the description', { capabilityDescription: 'D' }, { capabilityDescription: 'D' }],
  ['no description', { capabilityDescription: null }, { capabilityDescription: null }],
  ['enabled', { enabled: false }, { enabled: false }],
  ['any parameters', { parametersSchema: null }, { parametersSchema: null }],
  ['other parameters', { parametersSchema: { type: 'object' } }, { parametersSchema: { type: 'object' } }],
  ['nothing', {}, {}],
])('a change of %s leaves the rest', async (_what, changes, expected) => {
  const tenant = await newTenant();
  const { capability } = await greetingProduct(tenant);
  const changed = await expectStatus(200, tenant.call('PUT', pathOf(capability), { body: changes }));
  expect(changed).toEqual({ ...capability, ...expected });
});

test('refreshSchema derives the parameters again, while there is a flow', async () => {
  const tenant = await newTenant();
  const { flow, capability } = await greetingProduct(tenant);
  const refresh = () => tenant.call('PUT', pathOf(capability), { body: { refreshSchema: true } });
  const flowSteps = [template('{{ first }} {{ last }}')];
  await expectStatus(200, tenant.call('PUT', `/v1/flows/${flow.id}`, { body: { flowSteps } }));
  expect((await expectStatus(200, refresh())).parametersSchema.required).toEqual(['first', 'last']);
  const both = { refreshSchema: true, parametersSchema: {} };
  const { details } = await expectStatus(400, tenant.call('PUT', pathOf(capability), { body: both }));
  expect(details).toContainEqual(expect.objectContaining({ path: 'refreshSchema', code: 'SEVERAL_TARGETS' }));
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect(await expectStatus(404, refresh())).toEqual(notFoundBody('Flow'));
});

test.each<[object, number, string, string]>([
  [{ capabilityName: 'x' }, 400, 'flowId', 'MISSING_REQUIRED_FIELD'],
  [
    { capabilityName: 'x', flowId: missing('flow'), agentId: missing('agent') },
    400,
    'agentId',
    'SEVERAL_TARGETS',
  ],
  [{ flowId: missing('flow') }, 400, 'capabilityName', 'MISSING_REQUIRED_FIELD'],
  [{ capabilityName: 'x'.repeat(101), flowId: missing('flow') }, 400, 'capabilityName', 'TOO_BIG'],
  [{ capabilityName: 'x', flowId: 'flow_1' }, 400, 'flowId', 'INVALID_FORMAT'],
  [
    { capabilityName: 'x', flowId: missing('flow'), parametersSchema: { type: 'array' } },
    400,
    'parametersSchema.type',
    'INVALID_SCHEMA',
  ],
])('%j is a %i at %s', async (body, status, path, code) => {
  const tenant = await newTenant();
  const { id } = await createProduct(tenant);
  const { details } = await expectStatus(status, addCapability(tenant, id, body));
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
});

test('404 for a product, a flow, an agent or a capability that does not exist', async () => {
  const tenant = await newTenant();
  const { product, capability, flow } = await greetingProduct(tenant);
  const add = (productId: string, target: object) =>
    expectStatus(404, addCapability(tenant, productId, { capabilityName: 'x', ...target }));
  expect(await add(missing('product'), { flowId: flow.id })).toEqual(notFoundBody('Product'));
  expect(await add(product.id, { flowId: missing('flow') })).toEqual(notFoundBody('Flow'));
  expect(await add(product.id, { agentId: missing('agent') })).toEqual(notFoundBody('Agent'));
  const gone = pathOf({ ...capability, id: missing('cap') });
  for (const method of ['PUT', 'DELETE'] as const) {
    expect(await expectStatus(404, tenant.call(method, gone, { body: {} }))).toEqual(
      notFoundBody('Capability'),
    );
  }
});

test('a name is taken once, also by parallel calls and by a change', async () => {
  const tenant = await newTenant();
  const { product, capability, flow } = await greetingProduct(tenant);
  const add = (capabilityName: string) =>
    addCapability(tenant, product.id, { capabilityName, flowId: flow.id });
  const { details } = await expectStatus(409, add('Greet'));
  expect(details).toEqual([expect.objectContaining({ path: 'capabilityName', code: 'NAME_TAKEN' })]);
  const answers = await Promise.all(Array.from({ length: 5 }, () => add('Once')));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
  await expectStatus(409, tenant.call('PUT', pathOf(capability), { body: { capabilityName: 'Once' } }));
});

test('a product has at most 64 capabilities', async () => {
  const tenant = await newTenant();
  const { product, flow } = await greetingProduct(tenant);
  const add = (n: number) => addCapability(tenant, product.id, { capabilityName: `c${n}`, flowId: flow.id });
  for (let n = 1; n < 64; n++) await expectStatus(201, add(n));
  const { details } = await expectStatus(409, add(64));
  expect(details).toEqual([expect.objectContaining({ code: 'LIMIT_REACHED' })]);
});

test('removing a capability removes its items from all surfaces, and no other', async () => {
  const tenant = await newTenant();
  const { product, capability, flow } = await greetingProduct(tenant);
  const other = await expectStatus(
    201,
    addCapability(tenant, product.id, { capabilityName: 'Other', flowId: flow.id }),
  );
  const surfaces = [await createSurface(tenant, product.id), await createSurface(tenant, product.id)];
  for (const surface of surfaces) {
    for (const { id } of [capability, other]) {
      await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
    }
  }
  await expectStatus(200, tenant.call('DELETE', pathOf(capability)));
  const whole = await expectStatus(200, tenant.call('GET', `/v1/products/${product.id}`));
  expect(whole.capabilities).toEqual([other]);
  const left = whole.surfaces.map(({ items }: { items: { capabilityId: string }[] }) =>
    items.map(({ capabilityId }) => capabilityId),
  );
  expect(left).toEqual([[other.id], [other.id]]);
  const { status } = await addItem(tenant, surfaces[0], { capabilityId: capability.id });
  expect(status).toBe(404);
});

test('of an item that is added while its capability is removed, nothing is left', async () => {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id);
  const [removed] = await Promise.all([
    tenant.call('DELETE', pathOf(capability)),
    ...Array.from({ length: 4 }, () => addItem(tenant, surface, { capabilityId: capability.id })),
  ]);
  expect([200, 409]).toContain(removed.status);
  if (removed.status === 409) await expectStatus(200, tenant.call('DELETE', pathOf(capability)));
  const whole = await expectStatus(200, tenant.call('GET', `/v1/products/${product.id}`));
  expect(whole.surfaces[0].items).toEqual([]);
});
