import { expect, test } from 'vitest';
import { modelConfigEntity, providerKeyEntity } from '../../../shared/domain/model-configs/model-account.ts';
import { secretEntity } from '../../../shared/domain/secrets/secret.ts';
import { tenantLimits } from '../../../shared/domain/tenant-limits.ts';
import { type ApiKey, apiKeyEntity } from '../../../shared/platform/auth/api-key.ts';
import type { Write } from '../../../shared/platform/data/writes.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newConfig, newProviderKey } from '../../support/models/model-configs.ts';
import { newKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const scopeOf = ({ tenant }: Tenant) => countingRuntime().scopeOf(tenant);

async function commitAll(tenant: Tenant, writes: readonly Write[]): Promise<void> {
  const { table } = scopeOf(tenant);
  for (let first = 0; first < writes.length; first += 100)
    await table.commit(writes.slice(first, first + 100));
}

/** Copies of a stored item, with other keys. */
const copies = <T>(count: number, copy: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => copy(index));

test('a tenant has at most 200 API keys, and deleting one makes room', async () => {
  const tenant = await newTenant();
  const { id } = await newKey(tenant);
  const { table } = scopeOf(tenant);
  const key = (await table.get(apiKeyEntity, { id })) as ApiKey;
  const others = copies(tenantLimits['API keys'] - 1, (index) =>
    table.writes.put(apiKeyEntity, { ...key, id: `key_copy${index}` }),
  );
  await commitAll(tenant, others);
  const create = () => tenant.call('POST', '/v1/api-keys', { body: { name: 'one more' } });
  expect(await create()).toMatchObject({
    status: 409,
    body: { details: [{ code: 'LIMIT_REACHED', message: expect.stringContaining('200 API keys') }] },
  });
  await expectStatus(200, tenant.call('DELETE', `/v1/api-keys/${id}`));
  expect((await create()).status).toBe(201);
});

test('a tenant has at most 500 secrets; revoked ones do not count, and existing ones can still be changed', async () => {
  const tenant = await newTenant();
  const { data } = await expectStatus(201, tenant.call('POST', '/v1/secrets', { body: { key: 'FIRST' } }));
  const { table } = scopeOf(tenant);
  const secret = await table.get(secretEntity, { key: 'FIRST' });
  if (!secret) throw new Error('The secret is missing');
  const writes = copies(tenantLimits.secrets + 5, (index) => {
    const status = index < tenantLimits.secrets - 1 ? secret.status : ('revoked' as const);
    return table.writes.put(secretEntity, {
      ...secret,
      key: `COPY_${index}`,
      id: `secret_copy${index}`,
      status,
    });
  });
  await commitAll(tenant, writes);
  const create = () => tenant.call('POST', '/v1/secrets', { body: { key: 'ONE_MORE' } });
  expect(await create()).toMatchObject({ status: 409, body: { details: [{ code: 'LIMIT_REACHED' }] } });
  const path = `/v1/secrets/${data.id}`;
  await expectStatus(200, tenant.call('PUT', path, { body: { value: 'a value of some length' } }));
  await expectStatus(200, tenant.call('DELETE', path));
  expect((await create()).status).toBe(201);
});

test('a tenant has at most 200 model configs, and deleting one makes room', async () => {
  const tenant = await newTenant();
  const { table } = scopeOf(tenant);
  const { id } = await newConfig(tenant);
  const config = await table.get(modelConfigEntity, { id });
  if (!config) throw new Error('The config is missing');
  const others = copies(tenantLimits['model configs'] - 1, (index) =>
    table.writes.put(modelConfigEntity, { ...config, id: `modelcfg_copy${index}` }),
  );
  await commitAll(tenant, others);
  const body = { provider: 'openai', modelId: 'gpt-4o' };
  const create = () => tenant.call('POST', '/v1/model-configs', { body });
  expect(await create()).toMatchObject({
    status: 409,
    body: { details: [{ code: 'LIMIT_REACHED', message: expect.stringContaining('200 model configs') }] },
  });
  await expectStatus(204, tenant.call('DELETE', `/v1/model-configs/${id}`));
  expect((await create()).status).toBe(201);
});

test('a tenant has at most 100 provider keys, and deleting one makes room', async () => {
  const tenant = await newTenant();
  const { table } = scopeOf(tenant);
  const { id } = await newProviderKey(tenant);
  const key = await table.get(providerKeyEntity, { id });
  if (!key) throw new Error('The key is missing');
  const others = copies(tenantLimits['provider keys'] - 1, (index) =>
    table.writes.put(providerKeyEntity, { ...key, id: `providerkey_copy${index}` }),
  );
  await commitAll(tenant, others);
  const body = { provider: 'groq', name: 'one more', apiKey: 'one-more-key' };
  const create = () => tenant.call('POST', '/v1/provider-keys', { body });
  expect(await create()).toMatchObject({ status: 409, body: { details: [{ code: 'LIMIT_REACHED' }] } });
  await expectStatus(200, tenant.call('DELETE', `/v1/provider-keys/${id}`));
  expect((await create()).status).toBe(201);
});
