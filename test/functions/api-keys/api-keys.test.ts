import {
  CreateSecretCommand,
  GetSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { testKeyValueEntity } from '../../../shared/domain/api-keys/key-values.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

test('a session creates a key; the value is returned once and works immediately', async () => {
  const tenant = await newTenant();
  const { apiKey, plainKey, warning, call } = await newKey(tenant, { name: 'CI' });
  expect(plainKey).toMatch(/^tv_live_[0-9A-Za-z]{49}$/);
  expect(warning).toBeTruthy();
  expect(apiKey).toMatchObject({
    name: 'CI',
    permissions: ['FLOWS:READ', 'RECORDS:READ'],
    isActive: true,
    expiresAt: null,
    allowedIps: [],
    keyPrefix: plainKey.slice(0, 12),
    searchHint: plainKey.slice(-4),
  });
  expect((await call('GET', '/v1/flows')).status).toBe(200);
  const list = await expectStatus(200, tenant.call('GET', '/v1/api-keys'));
  expect(list).toMatchObject({
    total: 1,
    apiKeys: [{ id: apiKey.id, isTestKey: false, canReveal: false, lastUsedAt: expect.any(String) }],
  });
  expect(JSON.stringify(list)).not.toContain(plainKey);
});

test('a key cannot create keys, whatever its permissions', async () => {
  const tenant = await newTenant();
  const live = await newKey(tenant, { permissions: ['*'] });
  const test = await newKey(tenant, { environment: 'test' });
  const body = { error: 'Forbidden', details: 'Missing required permission: API_KEYS:WRITE' };
  expect(await expectStatus(403, live.call('POST', '/v1/api-keys', { body: { name: 'x' } }))).toEqual(body);
  expect(await expectStatus(403, test.call('POST', '/v1/api-keys', { body: { name: 'x' } }))).toEqual({
    ...body,
    code: 'TEST_KEY_PERMISSION_DENIED',
  });
});

test('a session cannot grant a key permissions that the session lacks', async () => {
  const tenant = await newTenant({ permissions: ['API_KEYS:WRITE', 'FLOWS:READ'] });
  const refused = await expectStatus(
    403,
    tenant.call('POST', '/v1/api-keys', { body: { name: 'x', permissions: ['FLOWS:READ', 'FLOWS:WRITE'] } }),
  );
  expect(refused.details).toBe('Missing required permission: FLOWS:WRITE');
  await newKey(tenant, { permissions: ['FLOWS:READ'] });
});

test.each([
  [{}, 'name', 'MISSING_REQUIRED_FIELD'],
  [{ name: 'x'.repeat(256) }, 'name', 'TOO_BIG'],
  [{ name: 'x', permissions: ['FLOWS:FLY'] }, 'permissions.0', 'INVALID_ENUM'],
  [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt', 'IN_THE_PAST'],
  [{ name: 'x', expiresAt: 'tomorrow' }, 'expiresAt', 'INVALID_FORMAT'],
  [{ name: 'x', allowedIps: ['10.0.0.0/8', '10.0.0.0/33'] }, 'allowedIps.1', 'INVALID_VALUE'],
  [{ name: 'x', environment: 'live' }, 'environment', 'INVALID_ENUM'],
  [
    { name: 'x', environment: 'test', permissions: ['FLOWS:READ', '*'] },
    'permissions.1',
    'PERMISSION_NOT_ALLOWED',
  ],
  [{ name: 'x', rateLimits: { perHour: 0 } }, 'rateLimits.perHour', 'TOO_SMALL'],
  [{ name: 'x', owner: 'me' }, 'owner', 'UNKNOWN_MEMBER'],
])('400 for %j, and no key is stored', async (body, path, code) => {
  const tenant = await newTenant();
  const answer = await expectStatus(400, tenant.call('POST', '/v1/api-keys', { body }));
  expect(answer.details).toMatchObject([{ path, code }]);
  expect((await tenant.call('GET', '/v1/api-keys')).body.total).toBe(0);
});

test('the value of a test key is stored encrypted; the value of a live key is not stored', async () => {
  const tenant = await newTenant();
  const [test, live] = [await newKey(tenant, { environment: 'test' }), await newKey(tenant)];
  expect(test.plainKey).toMatch(/^tv_test_/);
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const stored = await table.get(testKeyValueEntity, { id: test.id });
  expect(JSON.stringify(stored)).not.toContain(test.plainKey.slice(-20));
  expect(Buffer.from(stored?.ciphertext ?? '', 'base64').toString('latin1')).not.toContain(test.plainKey);
  expect(await table.get(testKeyValueEntity, { id: live.id })).toBeUndefined();
  const reveal = () => tenant.call('GET', `/v1/api-keys/${test.id}/reveal`);
  expect((await reveal()).body.key).toBe(test.plainKey);
  await expectStatus(200, tenant.call('DELETE', `/v1/api-keys/${test.id}`));
  expect(await table.get(testKeyValueEntity, { id: test.id })).toBeUndefined();
});

test('the encrypted value of one key cannot take the place of another’s', async () => {
  const tenant = await newTenant();
  const [one, two] = [
    await newKey(tenant, { environment: 'test' }),
    await newKey(tenant, { environment: 'test' }),
  ];
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const stolen = await table.get(testKeyValueEntity, { id: one.id });
  await table.commit([
    table.writes.put(testKeyValueEntity, { id: two.id, ciphertext: stolen?.ciphertext ?? '' }),
  ]);
  expect((await tenant.call('GET', `/v1/api-keys/${two.id}/reveal`)).status).toBe(409);
});

test('a value that Secrets Manager still has, from before migration 1, is revealed and deleted with its key', async () => {
  const tenant = await newTenant();
  const { id, plainKey } = await newKey(tenant, { environment: 'test' });
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  await table.commit([table.writes.remove(testKeyValueEntity, { id })]);
  const owner = Buffer.from(tenant.tenant).toString('base64url');
  const Name = `${process.env.SECRETS_PREFIX}/${owner}/api-keys/${id}`;
  const client = new SecretsManagerClient({});
  await client.send(new CreateSecretCommand({ Name, SecretString: plainKey }));
  expect((await tenant.call('GET', `/v1/api-keys/${id}/reveal`)).body.key).toBe(plainKey);
  await expectStatus(200, tenant.call('DELETE', `/v1/api-keys/${id}`));
  await expect(client.send(new GetSecretValueCommand({ SecretId: Name }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('a key’s own limits override the deployment’s limits', async () => {
  const { call } = await newKey(await newTenant(), { rateLimits: { perHour: 2 } });
  expect((await call('GET', '/v1/flows')).headers.get('x-ratelimit-limit')).toBe('2');
  await call('GET', '/v1/flows');
  expect(await call('GET', '/v1/flows')).toMatchObject({
    status: 429,
    body: { details: 'Hourly limit of 2 requests reached' },
  });
});

test('analytics count the caller’s own active and expired keys', async () => {
  const organizationId = crypto.randomUUID();
  const [one, other] = [await newTenant({ organizationId }), await newTenant({ organizationId })];
  const mine = await newKey(one);
  const expiring = await newKey(one, { name: 'short', expiresAt: new Date(Date.now() + 300).toISOString() });
  await newKey(other);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect((await expiring.call('GET', '/v1/flows')).status).toBe(401);
  const { analytics, timestamp } = await expectStatus(200, mine.call('GET', '/v1/api-keys/analytics'));
  expect(analytics).toMatchObject({ totalKeys: 2, activeKeys: 1, expiredKeys: 1 });
  expect(analytics.keyBreakdown.map(({ id }: { id: string }) => id).toSorted()).toEqual(
    [mine.id, expiring.id].toSorted(),
  );
  expect(Date.parse(timestamp)).toBeGreaterThan(0);
  expect((await expectStatus(200, one.call('GET', '/v1/api-keys'))).total).toBe(3);
});
