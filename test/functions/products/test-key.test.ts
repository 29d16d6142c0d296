import { expect, test } from 'vitest';
import { apiKeyEntity } from '../../../shared/platform/auth/api-key.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { addItem, createProduct, createSurface, greetingProduct } from '../../support/surfaces/products.ts';

async function exposedGreeting(caller: Pick<Tenant, 'call'>) {
  const { product, capability } = await greetingProduct(caller);
  const surface = await createSurface(caller, product.id, { status: 'draft' });
  await expectStatus(201, addItem(caller, surface, { capabilityId: capability.id, endpointSlug: 'greet' }));
  const path = `/v1/products/${product.id}/surfaces/${surface.id}/run/greet`;
  return { product, path, testApiKey: product.testApiKey };
}

const greet = (value: string, path: string) => callerWith(value)('POST', path, { body: { person: 'Ada' } });

test('a product comes with a test key, which runs its surfaces, drafts too', async () => {
  const tenant = await newTenant();
  const { testApiKey, path } = await exposedGreeting(tenant);
  expect(testApiKey).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'Test key of A product',
    canRevealLater: true,
    key: expect.stringMatching(/^tv_test_/),
    prefix: testApiKey.key.slice(0, 12),
    limits: { dailyExecutions: 1_000, lifetimeExecutions: 10_000 },
  });
  expect(await expectStatus(200, greet(testApiKey.key, path))).toMatchObject({ output: 'Hello Ada' });
  const revealed = await expectStatus(200, tenant.call('GET', `/v1/api-keys/${testApiKey.id}/reveal`));
  expect(revealed).toMatchObject({
    key: testApiKey.key,
    metadata: { createdVia: 'product', lifetimeExecutions: 10_000 },
  });
});

test('it can use neither another product nor anything else', async () => {
  const tenant = await newTenant();
  const [one, other] = await Promise.all([exposedGreeting(tenant), exposedGreeting(tenant)]);
  expect(await greet(one.testApiKey.key, other.path)).toMatchObject({
    status: 403,
    body: { details: 'The key belongs to another product' },
  });
  const call = callerWith(one.testApiKey.key);
  for (const path of ['/v1/products', `/v1/products/${one.product.id}`, '/v1/flows', '/v1/records']) {
    expect((await call('GET', path)).status).toBe(403);
  }
});

test.each([
  [{ dayCount: 1_000, dayEndsAt: Math.ceil(Date.now() / 1_000) + 3_600 }, 429],
  [{ usageCount: 10_000 }, 403],
])('beyond its limits of a day and of all times it is refused: %o', async (set, status) => {
  const tenant = await newTenant();
  const { testApiKey, path } = await exposedGreeting(tenant);
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  await table.commit([table.writes.update(apiKeyEntity, { id: testApiKey.id }, { set })]);
  expect((await greet(testApiKey.key, path)).status).toBe(status);
});

test('it is deleted with its product, and may be deleted or regenerated before', async () => {
  const tenant = await newTenant();
  const remove = (id: string) => expectStatus(200, tenant.call('DELETE', `/v1/products/${id}`));
  const one = await exposedGreeting(tenant);
  await remove(one.product.id);
  expect((await greet(one.testApiKey.key, one.path)).status).toBe(401);
  const two = await exposedGreeting(tenant);
  const key = `/v1/api-keys/${two.testApiKey.id}`;
  const { plainKey } = await expectStatus(200, tenant.call('POST', `${key}/regenerate`));
  expect((await greet(two.testApiKey.key, two.path)).status).toBe(401);
  await expectStatus(200, greet(plainKey, two.path));
  await expectStatus(200, tenant.call('DELETE', key));
  await remove(two.product.id);
  const { body } = await tenant.call('GET', '/v1/api-keys');
  expect(body.apiKeys ?? body).toEqual([]);
});

test('who may not run products gets none, nor does a tenant with many keys', async () => {
  const tenant = await newTenant();
  const writer = await newKey(tenant, { permissions: ['PRODUCTS:WRITE'] });
  expect(await createProduct(writer)).not.toHaveProperty('testApiKey');
  for (let count = 0; count < 10; count++) {
    await Promise.all(Array.from({ length: 10 }, () => newKey(tenant, {})));
  }
  expect(await createProduct(tenant)).not.toHaveProperty('testApiKey');
});

test('a name of 255 characters that ends in an emoji is shortened for the key', async () => {
  const name = `${'n'.repeat(241)}${'🦉'.repeat(7)}`;
  const { testApiKey } = await createProduct(await newTenant(), { name });
  expect(testApiKey.name.isWellFormed()).toBe(true);
  expect(testApiKey.name.length).toBeLessThanOrEqual(255);
});
