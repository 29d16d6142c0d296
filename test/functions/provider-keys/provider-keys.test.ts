import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newConfig, newProviderKey } from '../../support/models/model-configs.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const apiKey = 'sk-correct-horse-battery';
const create = ({ call }: Pick<Tenant, 'call'>, body: unknown) => call('POST', '/v1/provider-keys', { body });
const patch = ({ call }: Tenant, id: string, body: object) =>
  call('PATCH', `/v1/provider-keys/${id}`, { body });
const list = async ({ call }: Tenant) =>
  (await expectStatus(200, call('GET', '/v1/provider-keys'))).providerKeys;

test('a key reveals only its last characters', async () => {
  const { status, body } = await create(await newTenant(), { provider: 'openai', name: 'Ours', apiKey });
  expect(status).toBe(201);
  expect(body).toEqual({
    providerKey: {
      id: expect.stringMatching(/^providerkey_[0-9a-z]{26}$/),
      provider: 'openai',
      name: 'Ours',
      keyPreview: 'tery',
      settings: null,
      limits: {},
      isActive: true,
      isDefault: false,
      usageCount: 0,
      lastUsedAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.providerKey.createdAt,
    },
  });
});

test('the preview of a short key is null', async () => {
  expect((await newProviderKey(await newTenant(), { apiKey: 'short' })).keyPreview).toBeNull();
});

test('keys are listed, oldest first, and a rotation changes the preview alone', async () => {
  const tenant = await newTenant();
  const first = await newProviderKey(tenant);
  const second = await newProviderKey(tenant, { provider: 'exa', name: 'search' });
  expect(await list(tenant)).toEqual([first, second]);
  const { providerKey } = await expectStatus(200, patch(tenant, first.id, { apiKey: 'sk-another-value' }));
  expect(providerKey).toEqual({ ...first, keyPreview: 'alue', updatedAt: expect.any(String) });
});

test('one key per provider is the default, also under parallel requests', async () => {
  const tenant = await newTenant();
  const keys = await Promise.all(
    Array.from({ length: 5 }, () => newProviderKey(tenant, { isDefault: true })),
  );
  const other = await newProviderKey(tenant, { provider: 'groq', isDefault: true });
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      expectStatus(200, patch(tenant, keys[n % keys.length].id, { isDefault: true })),
    ),
  );
  const defaults = (await list(tenant)).filter(({ isDefault }: { isDefault: boolean }) => isDefault);
  expect(defaults.map(({ provider }: { provider: string }) => provider).toSorted()).toEqual([
    'groq',
    'openai',
  ]);
  await expectStatus(200, patch(tenant, other.id, { isDefault: false }));
  expect((await list(tenant)).find(({ id }: { id: string }) => id === other.id).isDefault).toBe(false);
}, 60_000);

test('a deleted key is gone, and a config that names it needs setup', async () => {
  const tenant = await newTenant();
  const { id } = await newProviderKey(tenant, { isDefault: true });
  const config = await newConfig(tenant, { providerKeyId: id });
  expect(config.keyStatus).toBe('custom');
  const answer = await tenant.call('DELETE', `/v1/provider-keys/${id}`);
  expect(answer).toMatchObject({ status: 200, body: { success: true } });
  expect(await list(tenant)).toEqual([]);
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/model-configs'));
  expect(data).toMatchObject([{ id: config.id, providerKeyId: id, keyStatus: 'needs_setup' }]);
  await expectStatus(404, patch(tenant, id, { name: 'x' }));
  await expectStatus(404, tenant.call('DELETE', `/v1/provider-keys/${id}`));
});

test('an inactive key is not used', async () => {
  const tenant = await newTenant();
  const { id } = await newProviderKey(tenant);
  const { providerKey } = await expectStatus(200, patch(tenant, id, { isActive: false, name: 'off' }));
  expect(providerKey).toMatchObject({ isActive: false, name: 'off' });
  expect((await newConfig(tenant)).keyStatus).toBe('needs_setup');
});

const valid = { provider: 'openai', name: 'x', apiKey };
test.each<[string, object, string, string]>([
  ['no key', { ...valid, apiKey: undefined }, 'apiKey', 'MISSING_REQUIRED_FIELD'],
  ['an empty key', { ...valid, apiKey: '' }, 'apiKey', 'TOO_SMALL'],
  ['a key with a line break', { ...valid, apiKey: 'a\nb' }, 'apiKey', 'INVALID_FORMAT'],
  ['a key of 10,001 characters', { ...valid, apiKey: 'x'.repeat(10_001) }, 'apiKey', 'TOO_BIG'],
  ['an unknown provider', { ...valid, provider: 'weaviate' }, 'provider', 'INVALID_ENUM'],
  ['a name of 101 characters', { ...valid, name: 'x'.repeat(101) }, 'name', 'TOO_BIG'],
  ['an unknown setting', { ...valid, settings: { colour: 'red' } }, 'settings.colour', 'UNKNOWN_MEMBER'],
  ['a region of openai', { ...valid, settings: { region: 'eu-west-1' } }, 'settings.region', 'INVALID_VALUE'],
  [
    'a region that is none',
    { ...valid, provider: 'bedrock', settings: { region: 'moon' } },
    'settings.region',
    'INVALID_FORMAT',
  ],
  [
    'a server without https',
    { ...valid, settings: { baseURL: 'http://10.0.0.1' } },
    'settings.baseURL',
    'INVALID_VALUE',
  ],
  [
    'a generic server without an address',
    { ...valid, provider: 'generic-openai' },
    'settings.baseURL',
    'MISSING_REQUIRED_FIELD',
  ],
])('400 for %s', async (_what, body, path, code) => {
  const tenant = await newTenant();
  const { details } = await expectStatus(400, create(tenant, body));
  expect(details).toMatchObject([{ path, code }]);
  expect(JSON.stringify(details)).not.toContain(apiKey);
  expect(await list(tenant)).toEqual([]);
});

test.each([
  'https://user:password@example.com/v1',
  'https://key@example.com',
  'https://example.com/v1?key=1',
  'https://example.com/v1#key',
  'https://10.0.0.1/v1',
  'https://[::1]/v1',
  'https://2130706433',
  'https://169.254.169.254/latest',
])('400 for the address %s', async (baseURL) => {
  const body = { ...valid, provider: 'generic-openai', settings: { baseURL } };
  const { details } = await expectStatus(400, create(await newTenant(), body));
  expect(details).toMatchObject([{ path: 'settings.baseURL', code: 'INVALID_VALUE' }]);
});

test('400 for a PATCH that removes the address of a generic server', async () => {
  const tenant = await newTenant();
  const settings = { baseURL: 'https://models.example.com/v1' };
  const { id } = await newProviderKey(tenant, { provider: 'generic-openai', settings });
  const { details } = await expectStatus(400, patch(tenant, id, { settings: {} }));
  expect(details).toMatchObject([{ path: 'settings.baseURL' }]);
});

test.each(['MODELS:WRITE', 'MODELS:*'])('a test key cannot be given %s', async (permission) => {
  const { call } = await newTenant();
  const body = { name: 'x', environment: 'test', permissions: [permission] };
  const { details } = await expectStatus(400, call('POST', '/v1/api-keys', { body }));
  expect(details).toMatchObject([{ path: 'permissions.0', code: 'PERMISSION_NOT_ALLOWED' }]);
});

test('any valid credential lists keys; only MODELS:WRITE changes them', async () => {
  const { call } = await tenantWithKey(['RECORDS:READ']);
  await expectStatus(200, call('GET', '/v1/provider-keys'));
  await expectStatus(403, call('POST', '/v1/provider-keys', { body: valid }));
});
