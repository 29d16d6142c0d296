import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { call, callerWith, newTenant } from '../../support/stack/stack.ts';
import { addItem, createSurface, greetingProduct } from '../../support/surfaces/products.ts';

const address = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const parametersSchema = {
  type: 'object',
  properties: { person: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  required: ['person'],
  $defs: { address },
};

async function world(type = 'api') {
  const tenant = await newTenant();
  const { product, capability } = await greetingProduct(tenant);
  const capabilityPath = `/v1/products/${product.id}/capabilities/${capability.id}`;
  await expectStatus(200, tenant.call('PUT', capabilityPath, { body: { parametersSchema } }));
  const surface = await createSurface(tenant, product.id, { name: 'Desk', type });
  const path = `/v1/products/${product.id}/surfaces/${surface.id}`;
  const add = (body: object) =>
    expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id, ...body }));
  return { ...tenant, product, surface, path, add, document: `${path}/openapi.json` };
}

test('the document describes what the surface exposes, and a client finds it by the document alone', async () => {
  const { add, document, path, ...tenant } = await world();
  await add({ endpointSlug: 'greet', exposedName: 'Greet somebody', exposedDescription: 'Says hello' });
  await add({ endpointSlug: 'hidden', enabled: false });
  const { key } = await expectStatus(201, tenant.call('POST', `${path}/keys`, { body: {} }));
  const described = await expectStatus(200, callerWith(key)('GET', document));
  expect(described.info.title).toBe('Desk');
  expect(Object.keys(described.paths)).toEqual(['/run/greet']);
  const { post } = described.paths['/run/greet'];
  expect(post).toMatchObject({ operationId: 'greet', summary: 'Greet somebody', description: 'Says hello' });
  expect(post.parameters.map(({ name }: { name: string }) => name)).toContain('X-Run-Tags');
  expect(post.parameters.every((each: { in: string }) => each.in === 'header')).toBe(true);
  expect(post.requestBody.content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/greet-parameters',
  });
  expect(described.components.schemas['greet-parameters']).toEqual({
    ...parametersSchema,
    properties: {
      ...parametersSchema.properties,
      address: { $ref: '#/components/schemas/greet-parameters/$defs/address' },
    },
  });
  expect(Object.keys(post.responses)).toEqual(
    expect.arrayContaining(['200', '400', '401', '403', '404', '429', '500', '503']),
  );
  const url = new URL(`${described.servers[0].url}/run/greet`);
  const headers = { authorization: `Bearer ${key}` };
  const answer = await call('POST', url.pathname, { headers, body: { person: 'Ada' } });
  expect(answer.body).toMatchObject({ success: true, output: 'Hello Ada' });
});

test('the document is valid', async () => {
  const { add, document, call } = await world();
  await add({ endpointSlug: 'greet' });
  await add({ endpointSlug: 'greet-again' });
  const source = JSON.stringify(await expectStatus(200, call('GET', document)));
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'info-license': 'off', 'no-server-example.com': 'off' },
  });
  const problems = await lintFromString({ source, config });
  expect(problems.map(({ message }) => message)).toEqual([]);
});

test('it needs PRODUCTS:EXECUTE, or a key of the surface', async () => {
  const tenant = await world();
  const { document } = tenant;
  const other = await createSurface(tenant, tenant.product.id, {});
  const otherPath = `/v1/products/${tenant.product.id}/surfaces/${other.id}`;
  const { key } = await expectStatus(201, tenant.call('POST', `${otherPath}/keys`, { body: {} }));
  expect(await callerWith(key)('GET', document)).toMatchObject({
    status: 403,
    body: { details: 'The key belongs to another surface' },
  });
  const reader = await newKey(tenant, { permissions: ['PRODUCTS:READ'] });
  await expectStatus(403, reader.call('GET', document));
  await expectStatus(401, call('GET', document));
  await expectStatus(404, (await newTenant()).call('GET', document));
});

test('404 for a surface of a type without such endpoints', async () => {
  const { document, call } = await world('chat');
  await expectStatus(404, call('GET', document));
});
