import { expect, test } from 'vitest';
import { credentialEntity } from '../../../shared/platform/auth/api-key.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { permissionNames } from '../../../shared/platform/identity/permissions.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const path = (id: string, action = '') => `/v1/api-keys/${id}${action}`;
const update = ({ call }: Pick<Tenant, 'call'>, id: string, body: object) => call('PUT', path(id), { body });
const unknown = `key_${'0'.repeat(26)}`;

test('options list every permission once, with the limits', async () => {
  const { call } = await newTenant();
  const { permissionGroups, rateLimits, permissionScopes } = await expectStatus(
    200,
    call('GET', '/v1/api-keys/options'),
  );
  const told = permissionGroups.flatMap(({ permissions }: { permissions: string[] }) => permissions);
  expect(told.toSorted()).toEqual([...permissionNames].toSorted());
  expect(permissionGroups[1]).toEqual({
    key: 'FLOWS',
    label: 'Flows',
    description: 'full access to flows',
    permissions: ['FLOWS:*', 'FLOWS:READ', 'FLOWS:WRITE', 'FLOWS:EXECUTE'],
  });
  expect(rateLimits).toEqual({
    defaultPerHour: 1_000,
    defaultPerDay: 10_000,
    maxPerHour: 1_000_000,
    maxPerDay: 1_000_000,
  });
  expect(permissionScopes).toBeNull();
});

test('reading a key returns when it was last used, without its value', async () => {
  const tenant = await newTenant();
  const { id, plainKey, apiKey, call } = await newKey(tenant);
  const analytics = () => expectStatus(200, tenant.call('GET', path(id, '/analytics')));
  expect((await analytics()).analytics).toEqual({ lastUsedAt: null });
  await call('GET', '/v1/flows');
  const answer = await expectStatus(200, tenant.call('GET', path(id)));
  expect(answer.apiKey).toMatchObject({ id, name: apiKey.name, allowedIps: [] });
  expect(JSON.stringify(answer)).not.toContain(plainKey);
  expect((await analytics()).analytics.lastUsedAt).toMatch(/Z$/);
});

test('an update changes only the members sent and applies from the next request', async () => {
  const tenant = await newTenant();
  const { id, call } = await newKey(tenant, { permissions: ['FLOWS:READ'] });
  expect((await call('GET', '/v1/flows')).status).toBe(200);
  const { apiKey } = await expectStatus(
    200,
    update(tenant, id, { name: 'Renamed', permissions: ['RECORDS:READ'], rateLimits: { perHour: 7 } }),
  );
  expect(apiKey).toMatchObject({ name: 'Renamed', permissions: ['RECORDS:READ'], isActive: true });
  expect((await call('GET', '/v1/flows')).status).toBe(403);
  const allowed = await call('GET', '/v1/records');
  expect(allowed.status).toBe(200);
  expect(allowed.headers.get('x-ratelimit-limit')).toBe('7');
});

test.each([
  ['inactive', { isActive: false }, { isActive: true }, 401],
  ['of another address', { allowedIps: ['192.0.2.1'] }, { allowedIps: [] }, 403],
])(
  'a key that is %s is rejected immediately, and accepted again once that is reverted',
  async (_, on, off, status) => {
    const tenant = await newTenant();
    const { id, call } = await newKey(tenant);
    expect((await call('GET', '/v1/flows')).status).toBe(200);
    await expectStatus(200, update(tenant, id, on));
    expect((await call('GET', '/v1/flows')).status).toBe(status);
    await expectStatus(200, update(tenant, id, off));
    expect((await call('GET', '/v1/flows')).status).toBe(200);
  },
);

test('a key expires at its expiry time; a key without one does not expire', async () => {
  const tenant = await newTenant();
  const { id, call } = await newKey(tenant);
  const expiresAt = new Date(Date.now() + 2_000).toISOString();
  await expectStatus(200, update(tenant, id, { expiresAt }));
  expect((await call('GET', '/v1/flows')).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 2_050));
  expect((await call('GET', '/v1/flows')).status).toBe(401);
  await expectStatus(200, update(tenant, id, { expiresAt: null }));
  expect((await call('GET', '/v1/flows')).status).toBe(200);
});

test.each(['production', 'test'])(
  'regenerating a %s key invalidates the old value immediately',
  async (environment) => {
    const tenant = await newTenant();
    const { id, plainKey, call } = await newKey(tenant, { environment });
    expect((await call('GET', '/v1/flows')).status).toBe(200);
    const renewed = await expectStatus(200, tenant.call('POST', path(id, '/regenerate')));
    expect(renewed.plainKey).not.toBe(plainKey);
    expect(renewed.apiKey).toMatchObject({ id, searchHint: renewed.plainKey.slice(-4) });
    expect((await call('GET', '/v1/flows')).status).toBe(401);
    expect((await callerWith(renewed.plainKey)('GET', '/v1/flows')).status).toBe(200);
    if (environment === 'test') {
      const revealed = await expectStatus(200, tenant.call('GET', path(id, '/reveal')));
      expect(revealed.key).toBe(renewed.plainKey);
    }
  },
);

test('after many concurrent regenerations, exactly one value is valid', async () => {
  const tenant = await newTenant();
  const { id } = await newKey(tenant);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => tenant.call('POST', path(id, '/regenerate'))),
  );
  for (const { status } of answers) expect([200, 409]).toContain(status);
  const values = answers.flatMap(({ body }) => body.plainKey ?? []);
  const statuses = await Promise.all(
    values.map(async (value) => (await callerWith(value)('GET', '/v1/flows')).status),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
});

test('a session can reveal a test key again; nobody can reveal a live key', async () => {
  const tenant = await newTenant();
  const [testKey, live] = [await newKey(tenant, { environment: 'test' }), await newKey(tenant)];
  const revealed = await expectStatus(200, tenant.call('GET', path(testKey.id, '/reveal')));
  expect(revealed).toMatchObject({
    key: testKey.plainKey,
    metadata: { environment: 'test', createdVia: 'session', lastUsedAt: null },
  });
  const refused = await expectStatus(403, tenant.call('GET', path(live.id, '/reveal')));
  expect(refused).toEqual({
    error: 'Forbidden',
    details: 'Only test keys can be revealed. Regenerate the live key to get a new value',
  });
});

test.each(['production', 'test'])('a deleted %s key is rejected, and is removed', async (environment) => {
  const tenant = await newTenant();
  const { id, call } = await newKey(tenant, { environment });
  expect((await call('GET', '/v1/flows')).status).toBe(200);
  const answer = await expectStatus(200, tenant.call('DELETE', path(id)));
  expect(answer).toEqual({ success: true, message: 'The API key was deleted' });
  expect((await call('GET', '/v1/flows')).status).toBe(401);
  await expectStatus(404, tenant.call('GET', path(id)));
  await expectStatus(404, tenant.call('DELETE', path(id)));
});

test('a key cannot update, regenerate, reveal or delete keys, whatever its permissions', async () => {
  const tenant = await newTenant();
  const { id, call } = await newKey(tenant, { permissions: ['*'] });
  const answers = await Promise.all([
    call('PUT', path(id), { body: { name: 'x' } }),
    call('POST', path(id, '/regenerate')),
    call('GET', path(id, '/reveal')),
    call('DELETE', path(id)),
  ]);
  for (const { status, body } of answers) {
    expect({ status, body }).toEqual({
      status: 403,
      body: { error: 'Forbidden', details: 'Missing required permission: API_KEYS:WRITE' },
    });
  }
});

test('a session cannot reactivate, extend or re-allowlist a key that has more permissions than the session, but may revoke it', async () => {
  const organizationId = crypto.randomUUID();
  const [owner, helper] = [
    await newTenant({ organizationId }),
    await newTenant({ organizationId, permissions: ['API_KEYS:WRITE', 'FLOWS:READ'] }),
  ];
  const { id } = await newKey(owner, { permissions: ['*'] });
  await expectStatus(
    200,
    update(helper, id, { isActive: false, name: 'stopped', rateLimits: { perHour: 1 } }),
  );
  for (const body of [{ isActive: true }, { expiresAt: null }, { allowedIps: [] }]) {
    const { details } = await expectStatus(403, update(helper, id, body));
    expect(details).toBe('Missing required permission: *');
  }
  await expectStatus(200, update(helper, id, { isActive: true, permissions: ['FLOWS:READ'] }));
});

test('a session cannot grant permissions that it lacks, neither by an update nor by a new value', async () => {
  const organizationId = crypto.randomUUID();
  const [owner, helper] = [
    await newTenant({ organizationId }),
    await newTenant({ organizationId, permissions: ['API_KEYS:WRITE', 'FLOWS:READ'] }),
  ];
  const { id } = await newKey(owner, { environment: 'test', permissions: ['FLOWS:WRITE'] });
  for (const answer of await Promise.all([
    update(helper, id, { permissions: ['FLOWS:WRITE'] }),
    helper.call('POST', path(id, '/regenerate')),
    helper.call('GET', path(id, '/reveal')),
  ])) {
    expect(answer).toMatchObject({
      status: 403,
      body: { details: 'Missing required permission: FLOWS:WRITE' },
    });
  }
});

test.each([
  [{ name: '' }, 'name'],
  [{ permissions: ['FLOWS:FLY'] }, 'permissions.0'],
  [{ permissions: ['FLOWS:READ', '*'] }, 'permissions.1'],
  [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
  [{ allowedIps: ['10.0.0.0/33'] }, 'allowedIps.0'],
  [{ allowedIps: ['::1', 'fe80::1%eth0'] }, 'allowedIps.1'],
  [{ permissions: Array(101).fill('FLOWS:READ') }, 'permissions'],
  [{ rateLimits: { perDay: 1_000_001 } }, 'rateLimits.perDay'],
  [{ isActive: 'yes' }, 'isActive'],
  [{ environment: 'production' }, 'environment'],
])('400 for %j, and nothing changes', async (body, culprit) => {
  const tenant = await newTenant();
  const { id, apiKey } = await newKey(tenant, { environment: 'test', name: 'same' });
  const { details } = await expectStatus(400, update(tenant, id, body));
  expect(details.map((detail: { path: string }) => detail.path)).toEqual([culprit]);
  const { updatedAt } = (await expectStatus(200, tenant.call('GET', path(id)))).apiKey;
  expect(updatedAt).toBe(apiKey.updatedAt);
});

test('400 for a malformed id; 404 for an unknown one and another tenant’s', async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const { id } = await newKey(other, { environment: 'test' });
  const calls = (key: string) => [
    tenant.call('GET', path(key)),
    update(tenant, key, { name: 'x' }),
    tenant.call('DELETE', path(key)),
    tenant.call('POST', path(key, '/regenerate')),
    tenant.call('GET', path(key, '/reveal')),
    tenant.call('GET', path(key, '/analytics')),
  ];
  for (const { status } of await Promise.all(calls('key_x'))) expect(status).toBe(400);
  for (const key of [unknown, id]) {
    for (const { status, body } of await Promise.all(calls(key))) {
      expect({ status, body }).toEqual({ status: 404, body: notFoundBody('API key') });
    }
  }
});

test('the item that finds a key by its hash holds its owner, and neither permissions nor counters', async () => {
  const tenant = await newTenant();
  const { key } = await newKey(tenant);
  const { table } = countingRuntime().scopeOf('');
  const [item = {}] = await table.getMany([credentialEntity.key({ hash: hashKey(key) })]);
  expect(
    Object.keys(item)
      .filter((name) => !/^(PK|SK|_)/.test(name))
      .sort(),
  ).toEqual(['environment', 'hash', 'keyId', 'organizationId', 'userId'].sort());
});

test.each(['production', 'test'] as const)(
  'a %s key without permissions deletes itself and no other',
  async (environment) => {
    const tenant = await newTenant();
    const [own, other] = [await newKey(tenant, { environment, permissions: [] }), await newKey(tenant)];
    await expectStatus(200, own.call('DELETE', path('self')));
    expect((await own.call('GET', '/v1/usage-limits')).status).toBe(401);
    expect((await own.call('DELETE', path('self'))).status).toBe(401);
    const { apiKeys } = await expectStatus(200, tenant.call('GET', '/v1/api-keys'));
    expect(apiKeys.map(({ id }: { id: string }) => id)).toEqual([other.id]);
    const refused = await tenant.call('DELETE', path('self'));
    expect(refused).toMatchObject({ status: 404, body: notFoundBody('API key') });
  },
);
