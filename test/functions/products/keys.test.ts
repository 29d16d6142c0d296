import { expect, test } from 'vitest';
import { endpoints } from '../../../functions/index.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, newTenant } from '../../support/stack/stack.ts';
import { createSurface, greetingProduct } from '../../support/surfaces/products.ts';

const missing = (kind: string) => `${kind}_${'0'.repeat(26)}`;

async function world() {
  const tenant = await newTenant();
  const { product } = await greetingProduct(tenant);
  const surface = await createSurface(tenant, product.id);
  const path = `/v1/products/${product.id}/surfaces/${surface.id}/keys`;
  const create = (body: object = {}) => expectStatus(201, tenant.call('POST', path, { body }));
  const list = async () => (await expectStatus(200, tenant.call('GET', path))).data;
  return { ...tenant, product, surface, path, create, list };
}

test('a key is created with its value once, listed without it, and deleted', async () => {
  const { create, list, call, path, surface } = await world();
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const limits = { rateLimitPerMinute: 5, rateLimitPerDay: 50 };
  const { key, ...created } = await create({
    name: 'Shop',
    environment: 'production',
    scopes: ['greet'],
    expiresAt,
    ...limits,
  });
  expect(key).toMatch(/^tv_surface_live_[0-9A-Za-z]{49}$/);
  expect(created).toEqual({
    id: expect.stringMatching(/^surfkey_/),
    surfaceId: surface.id,
    name: 'Shop',
    scopes: ['greet'],
    environment: 'production',
    isActive: true,
    expiresAt,
    ...limits,
    createdAt: expect.any(String),
    keyPrefix: key.slice(0, 20),
    keyHint: key.slice(-4),
  });
  const test = await create();
  expect(test).toMatchObject({ environment: 'test', name: null, scopes: [], rateLimitPerMinute: null });
  const more = { canReveal: false, isDevelopment: false, lastUsedAt: null, usageCount: 0 };
  expect(await list()).toEqual([
    expect.objectContaining({ id: test.id, canReveal: true }),
    { ...created, ...more },
  ]);
  expect(JSON.stringify(await list())).not.toContain(key);
  const remove = () => call('DELETE', `${path}/${created.id}`);
  expect(await expectStatus(200, remove())).toEqual({ success: true });
  expect(await expectStatus(404, remove())).toEqual(notFoundBody('Surface key'));
  expect(await list()).toHaveLength(1);
});

test('the value of a test key is revealed to a session; that of a live key is not stored', async () => {
  const { create, call, path } = await world();
  const { id, key } = await create();
  expect(await expectStatus(200, call('GET', `${path}/${id}/reveal`))).toEqual({
    key,
    metadata: { createdVia: null, environment: 'test', lifetimeExecutions: null, surfaceType: null },
    warning: expect.any(String),
  });
  const live = await create({ environment: 'production' });
  await expectStatus(403, call('GET', `${path}/${live.id}/reveal`));
  await expectStatus(404, call('GET', `${path}/${missing('surfkey')}/reveal`));
});

test('a key is refused by every endpoint that does not accept keys of surfaces', async () => {
  const { create } = await world();
  const { key } = await create({ environment: 'production' });
  const others = (endpoints as readonly AnyEndpoint[]).filter(
    ({ permission, accepts }) => permission !== 'public' && !accepts?.includes('surface-key'),
  );
  const statuses = new Set<number>();
  for (const { method, path } of others) {
    const { status } = await callerWith(key)(method, path.replace(/\{(\w+)\}/g, missing('x')));
    statuses.add(status);
  }
  expect([...statuses]).toEqual([403]);
});

test('an API key needs PRODUCTS:EXECUTE too, and a test key creates test keys only', async () => {
  const { path, ...tenant } = await world();
  const as = async (permissions: string[], environment = 'production') =>
    (await newKey(tenant, { permissions, environment })).call;
  const writer = await as(['PRODUCTS:WRITE']);
  const { details } = await expectStatus(403, writer('POST', path, { body: {} }));
  expect(details).toBe('Missing required permission: PRODUCTS:EXECUTE');
  const tester = await as(['PRODUCTS:*'], 'test');
  await expectStatus(201, tester('POST', path, { body: {} }));
  const refused = await expectStatus(403, tester('POST', path, { body: { environment: 'production' } }));
  expect(refused.code).toBe('TEST_KEY_PERMISSION_DENIED');
});

test.each<[object, string, string]>([
  [{ environment: 'live' }, 'environment', 'INVALID_ENUM'],
  [{ rateLimitPerMinute: 0 }, 'rateLimitPerMinute', 'TOO_SMALL'],
  [{ rateLimitPerDay: 1.5 }, 'rateLimitPerDay', 'INVALID_TYPE'],
  [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', 'IN_THE_PAST'],
  [{ scopes: ['Not a slug'] }, 'scopes.0', 'INVALID_FORMAT'],
  [{ colour: 'red' }, 'colour', 'UNKNOWN_MEMBER'],
])('400 for %j', async (body, path, code) => {
  const { call, list, ...rest } = await world();
  const { details } = await expectStatus(400, call('POST', rest.path, { body }));
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
  expect(await list()).toEqual([]);
});

test('404 for a surface that does not exist; a surface has at most 50 keys', async () => {
  const { call, product, path, create } = await world();
  const elsewhere = `/v1/products/${product.id}/surfaces/${missing('surface')}/keys`;
  expect(await expectStatus(404, call('POST', elsewhere, { body: {} }))).toEqual(notFoundBody('Surface'));
  expect(await expectStatus(404, call('GET', elsewhere))).toEqual(notFoundBody('Surface'));
  for (let n = 0; n < 50; n++) await create();
  const { details } = await expectStatus(409, call('POST', path, { body: {} }));
  expect(details).toEqual([expect.objectContaining({ code: 'LIMIT_REACHED' })]);
});
