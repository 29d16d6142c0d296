import { expect, test } from 'vitest';
import { newSecret } from '../../support/data/secrets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const create = ({ call }: Pick<Tenant, 'call'>, body: unknown) => call('POST', '/v1/secrets', { body });
const value = 'correct horse battery staple';

test('a secret with a value is active, and reveals only the last characters of it', async () => {
  const tenant = await newTenant();
  const { status, body } = await create(tenant, { key: 'STRIPE_KEY', value, description: 'For payments' });
  expect(status).toBe(201);
  expect(body).toEqual({
    data: {
      id: expect.stringMatching(/^secret_[0-9a-z]{26}$/),
      key: 'STRIPE_KEY',
      description: 'For payments',
      status: 'active',
      version: 1,
      valuePreview: 'aple',
      phantomToken: '{{secret:STRIPE_KEY}}',
      lastRotatedAt: null,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: body.data.createdAt,
    },
  });
});

test('a secret without a value is pending', async () => {
  expect(await newSecret(await newTenant(), { key: 'STRIPE_KEY' })).toMatchObject({
    status: 'pending',
    version: 0,
    description: null,
    valuePreview: null,
    lastRotatedAt: null,
  });
});

test.each([
  ['11 characters', '12345678901', null],
  ['12 characters', '123456789012', '9012'],
  ['characters beyond the basic plane', `${'🔑'.repeat(11)}🔒`, '🔑🔑🔑🔒'],
  ['few of those, though many units', '🔑'.repeat(11), null],
  ['10,000 characters', `${'x'.repeat(9_996)}last`, 'last'],
  ['lines', '-----BEGIN KEY-----\nabc\n-----END KEY-----\n', '---\n'],
])('the preview of a value of %s is its last four characters, or nothing', async (_what, value, preview) => {
  expect((await newSecret(await newTenant(), { key: 'SOME_KEY', value })).valuePreview).toBe(preview);
});

test.each(['AB', 'A1', 'A_', `A${'_'.repeat(99)}`])('%s is a valid key', async (key) => {
  expect((await newSecret(await newTenant(), { key })).phantomToken).toBe(`{{secret:${key}}}`);
});

test.each<[string, unknown, string, string]>([
  ['no key', { value }, 'key', 'MISSING_REQUIRED_FIELD'],
  ['a key of one character', { key: 'A' }, 'key', 'TOO_SMALL'],
  ['a key of 101 characters', { key: 'A'.repeat(101) }, 'key', 'TOO_BIG'],
  ['a key in small letters', { key: 'api_key' }, 'key', 'INVALID_FORMAT'],
  ['a key that begins with a digit', { key: '1_KEY' }, 'key', 'INVALID_FORMAT'],
  ['a key with a dash', { key: 'API-KEY' }, 'key', 'INVALID_FORMAT'],
  ['a key with a line after it', { key: 'API_KEY\n' }, 'key', 'INVALID_FORMAT'],
  ['a key that is no text', { key: 12 }, 'key', 'INVALID_TYPE'],
  ['a value of 7 characters', { key: 'KEY_A', value: '1234567' }, 'value', 'TOO_SMALL'],
  ['a value of 10,001 characters', { key: 'KEY_A', value: 'x'.repeat(10_001) }, 'value', 'TOO_BIG'],
  ['a value of blanks', { key: 'KEY_A', value: `a${' '.repeat(20)}` }, 'value', 'INVALID_VALUE'],
  ['a value with half a character', { key: 'KEY_A', value: 'half of \ud83d' }, 'value', 'INVALID_VALUE'],
  ['null as a value', { key: 'KEY_A', value: null }, 'value', 'INVALID_TYPE'],
  ['a long description', { key: 'KEY_A', description: 'x'.repeat(501) }, 'description', 'TOO_BIG'],
  ['null as a description', { key: 'KEY_A', description: null }, 'description', 'INVALID_TYPE'],
  ['an unknown member', { key: 'KEY_A', name: 'x' }, 'name', 'UNKNOWN_MEMBER'],
])('400 for %s', async (_what, sent, path, code) => {
  const tenant = await newTenant();
  const body = await expectStatus(400, create(tenant, sent));
  expect(body).toEqual({
    error: 'Validation error',
    details: [{ path, code, message: expect.any(String) }],
  });
  expect((await expectStatus(200, tenant.call('GET', '/v1/secrets'))).total).toBe(0);
});

test('a 400 response contains nothing of the value', async () => {
  const tenant = await newTenant();
  const answers = await Promise.all([
    create(tenant, { key: 'not a key', value, name: 'x' }),
    create(tenant, { key: 'KEY_A', value: { text: value } }),
    create(tenant, { key: 'KEY_A', value: [value] }),
    create(tenant, { key: 'KEY_A', value: `${value}\ud800` }),
    create(tenant, { key: 'KEY_A', value: value.repeat(400) }),
  ]);
  for (const { status, body } of answers) {
    expect(status).toBe(400);
    expect(JSON.stringify(body)).not.toMatch(/correct|horse|battery|staple/);
  }
});

test('409 for an existing key, pending or active, and the secret does not change', async () => {
  const tenant = await newTenant();
  for (const given of [{ key: 'KEY_A' }, { key: 'KEY_B', value }]) {
    const secret = await newSecret(tenant, given);
    const body = await expectStatus(409, create(tenant, { key: given.key, value: 'another value' }));
    expect(body).toEqual({
      error: 'Conflict',
      details: [
        {
          path: 'key',
          code: 'KEY_TAKEN',
          message: `The secret ${given.key} already exists; update it instead`,
        },
      ],
    });
    expect(await expectStatus(200, tenant.call('GET', `/v1/secrets/${secret.id}`))).toEqual({ data: secret });
  }
});

test('two tenants can have the same key', async () => {
  const [one, other] = await Promise.all([newTenant(), newTenant()]);
  const [mine, theirs] = [
    await newSecret(one, { key: 'KEY_A', value }),
    await newSecret(other, { key: 'KEY_A' }),
  ];
  expect(mine.id).not.toBe(theirs.id);
});

test('a test key can read secrets, but not write them', async () => {
  const permissions = ['SECRETS:READ'];
  const { call } = await tenantWithKey(permissions, { environment: 'test' });
  await expectStatus(200, call('GET', '/v1/secrets'));
  await expectStatus(200, call('POST', '/v1/secrets/check', { body: { keys: ['KEY_A'] } }));
  const id = `secret_${'0'.repeat(26)}`;
  for (const [method, path, body] of [
    ['POST', '/v1/secrets', { key: 'KEY_A', value }],
    ['PUT', `/v1/secrets/${id}`, { value }],
    ['DELETE', `/v1/secrets/${id}`, {}],
  ] as const) {
    expect(await expectStatus(403, call(method, path, { body }))).toEqual({
      error: 'Forbidden',
      details: 'Missing required permission: SECRETS:WRITE',
    });
  }
});

test.each(['SECRETS:WRITE', 'SECRETS:*', '*'])('a test key cannot be given %s', async (permission) => {
  const { call } = await newTenant();
  const body = { name: 'x', environment: 'test', permissions: [permission] };
  const { details } = await expectStatus(400, call('POST', '/v1/api-keys', { body }));
  expect(details).toMatchObject([{ path: 'permissions.0', code: 'PERMISSION_NOT_ALLOWED' }]);
});
