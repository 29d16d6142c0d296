import { expect, test } from 'vitest';
import { credentialPartition } from '../../../shared/platform/auth/api-key.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { tenantPartition } from '../../../shared/platform/data/keys.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

/** What an operator finds of this month, oldest first. */
async function auditOf({ tenant }: Tenant) {
  const { table } = countingRuntime().scopeOf(tenant);
  const months = [Date.now() - 3_600_000, Date.now()].map((at) => new Date(at).toISOString().slice(0, 7));
  const pages = await Promise.all(
    [...new Set(months)].map((month) => table.queryAll({ partition: tenantPartition(`AUDIT#${month}`) })),
  );
  return pages.flat();
}

const path = (id: string, action = '') => `/v1/api-keys/${id}${action}`;

test('the audit log records each change to a key and each reveal of its value: who, what, when, from where', async () => {
  const tenant = await newTenant();
  const { id } = await newKey(tenant, { environment: 'test', name: 'CI', permissions: ['FLOWS:READ'] });
  await expectStatus(
    200,
    tenant.call('PUT', path(id), { body: { isActive: false, permissions: [], rateLimits: { perHour: 7 } } }),
  );
  await expectStatus(200, tenant.call('POST', path(id, '/regenerate')));
  await expectStatus(200, tenant.call('GET', path(id, '/reveal')));
  await expectStatus(200, tenant.call('DELETE', path(id)));
  const audit = await auditOf(tenant);
  expect(audit.map(({ action, details }) => [action, details])).toEqual([
    [
      'api-key.created',
      { name: 'CI', environment: 'test', permissions: ['FLOWS:READ'], allowedIps: [], expiresAt: null },
    ],
    ['api-key.updated', { isActive: false, permissions: [], perHour: 7 }],
    ['api-key.regenerated', {}],
    ['api-key.revealed', {}],
    ['api-key.deleted', {}],
  ]);
  for (const item of audit) {
    expect(item).toMatchObject({
      targetId: id,
      userId: tenant.userId,
      kind: 'session',
      keyId: null,
      sourceIp: '127.0.0.1',
    });
    expect(Math.abs(Date.now() - Date.parse(String(item.at)))).toBeLessThan(60_000);
  }
});

test('the audit log contains neither a key’s value nor its hash', async () => {
  const tenant = await newTenant();
  const { id, plainKey } = await newKey(tenant, { environment: 'test' });
  const renewed = await expectStatus(200, tenant.call('POST', path(id, '/regenerate')));
  await expectStatus(200, tenant.call('GET', path(id, '/reveal')));
  const noted = JSON.stringify(await auditOf(tenant));
  for (const value of [plainKey, renewed.plainKey]) {
    expect(noted).not.toContain(value);
    expect(noted).not.toContain(hashKey(value));
  }
});

test('the audit log does not record a rejected request as done', async () => {
  const organizationId = crypto.randomUUID();
  const tenant = await newTenant({ organizationId });
  const narrow = await newTenant({ organizationId, permissions: ['API_KEYS:WRITE'] });
  const reader = await newTenant({ organizationId, permissions: ['FLOWS:READ'] });
  const live = await newKey(tenant, { permissions: ['*'] });
  const { id } = await newKey(tenant, { environment: 'test', permissions: ['FLOWS:READ'] });
  const harmless = await newKey(tenant, { environment: 'test', permissions: [] });
  const before = await auditOf(tenant);
  expect(before).toHaveLength(3);
  const refused = await Promise.all([
    live.call('GET', path(harmless.id, '/reveal')),
    reader.call('GET', path(harmless.id, '/reveal')),
    narrow.call('GET', path(id, '/reveal')),
    narrow.call('POST', path(id, '/regenerate')),
    narrow.call('PUT', path(id), { body: { permissions: ['FLOWS:READ'] } }),
    narrow.call('POST', '/v1/api-keys', { body: { name: 'x', permissions: ['FLOWS:READ'] } }),
    live.call('DELETE', path(id)),
    tenant.call('GET', path(live.id, '/reveal')),
  ]);
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
  const unknown = `key_${'0'.repeat(26)}`;
  await expectStatus(404, tenant.call('PUT', path(unknown), { body: { name: 'x' } }));
  await expectStatus(404, tenant.call('DELETE', path(unknown)));
  expect(await auditOf(tenant)).toEqual(before);
});

test('of many concurrent deletions of a key, the audit log records one, and nothing of the key remains', async () => {
  const tenant = await newTenant();
  const { id, plainKey } = await newKey(tenant);
  const [renewal, ...deletions] = await Promise.all([
    tenant.call('POST', path(id, '/regenerate')),
    ...Array.from({ length: 5 }, () => tenant.call('DELETE', path(id))),
  ]);
  for (const { status } of deletions) expect([200, 404, 409]).toContain(status);
  const last = await tenant.call('DELETE', path(id));
  expect(last.status).toBe(deletions.some(({ status }) => status === 200) ? 404 : 200);
  const actions = (await auditOf(tenant)).map(({ action }) => action);
  expect(actions.filter((action) => action === 'api-key.deleted')).toHaveLength(1);
  const { table } = countingRuntime().scopeOf('');
  for (const value of [plainKey, renewal?.body.plainKey].filter(Boolean)) {
    const range = { partition: credentialPartition(hashKey(value)), consistent: true };
    expect(await table.queryAll(range)).toEqual([]);
  }
});
