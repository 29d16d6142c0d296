import { expect, test } from 'vitest';
import { endpoints } from '../../../functions/index.ts';
import { generateKey } from '../../../shared/platform/auth/key-format.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { refusalBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { type CallResponse, callerWith, newTenant, stack, type Tenant } from '../../support/stack/stack.ts';
import {
  expireAt,
  newKeyedSecret,
  revokeSecret,
  setupLink,
  storedLink,
  storedSecret,
} from '../../support/surfaces/setup-links.ts';

type Caller = Pick<Tenant, 'call'>;

const manual = { type: 'manual' };
const manifestOf = ({ call }: Caller, source: object = manual, more: object = {}) =>
  call('POST', '/v1/secrets/intake/manifest', { body: { source, ...more } });
const submit = ({ call }: Caller, items: object[], more: object = {}) =>
  call('POST', '/v1/secrets/intake/submit', { body: { source: manual, items, ...more } });
const value = (name: string) => `value of ${name}`;
const item = (key: string) => ({ key, value: value(key) });
const withoutKey = ({ key: _key, ...rest }: ReturnType<typeof item>) => rest;
const unauthorized = { error: 'Unauthorized', details: 'The API key is invalid or missing' };

async function expectInvalid(answer: Promise<CallResponse>, ...paths: string[]) {
  const { details } = await expectStatus(400, answer);
  expect([...new Set(details.map(({ path }: { path: string }) => path))]).toEqual(paths);
}

test('a setup link covers keys without a value: missing, pending and revoked ones', async () => {
  const tenant = await newTenant();
  await newKeyedSecret(tenant, 'READY', 'ready, steady');
  await newKeyedSecret(tenant, 'NAMED');
  await revokeSecret(tenant, (await newKeyedSecret(tenant, 'GONE', 'gone for good')).id);
  const link = await setupLink(tenant, ['READY', 'NAMED', 'GONE', 'NEW', 'NEW']);
  expect(link).toMatchObject({
    missing: ['NAMED', 'NEW'],
    revoked: ['GONE'],
    alreadyConfigured: ['READY'],
  });
  expect(link.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/secrets\/setup#tv_setup_[0-9A-Za-z]{49}$/);
  expect(link.url.startsWith(`${stack().url}/`)).toBe(true);
  const manifest = await expectStatus(200, manifestOf(link));
  expect(manifest.items.map(({ secretKey }: { secretKey: string }) => secretKey)).toEqual([
    'NAMED',
    'GONE',
    'NEW',
  ]);
});

test('no link is created if no value is missing', async () => {
  const tenant = await newTenant();
  await newKeyedSecret(tenant, 'READY', 'ready, steady');
  const body = { keys: ['READY'] };
  const answer = await expectStatus(200, tenant.call('POST', '/v1/secrets/setup-url', { body }));
  expect(answer).toEqual({ url: null, missing: [], revoked: [], alreadyConfigured: ['READY'] });
});

test.each([
  ['no keys', { keys: [] }, 'keys'],
  ['keys missing', {}, 'keys'],
  ['a key that could never be stored', { keys: ['GOOD', 'not-good'] }, 'keys.1'],
  ['a key that is too short', { keys: ['A'] }, 'keys.0'],
  ['a key that is too long', { keys: ['A'.repeat(101)] }, 'keys.0'],
  ['too many keys', { keys: Array.from({ length: 51 }, (_, n) => `KEY_${n}`) }, 'keys'],
  ['a context of another kind', { keys: ['KEY'], context: { type: 'flow', id: 'x' } }, 'context.type'],
  ['a context without an id', { keys: ['KEY'], context: { type: 'tool' } }, 'context.id'],
  ['an unknown member', { keys: ['KEY'], ttl: 5 }, 'ttl'],
])('a link request is rejected for %s', async (_, body, path) => {
  const { call } = await newTenant();
  await expectInvalid(call('POST', '/v1/secrets/setup-url', { body }), path);
});

test('the manifest returns the status of each secret, with the purpose of the link', async () => {
  const tenant = await newTenant();
  const pending = await newKeyedSecret(tenant, 'NAMED');
  const gone = await newKeyedSecret(tenant, 'GONE', 'gone for good');
  await revokeSecret(tenant, gone.id);
  const link = await setupLink(tenant, ['NAMED', 'GONE', 'NEW'], {
    context: { type: 'agent', id: 'agent_7' },
  });
  const asked = { configurationStatus: 'needs_configuration', pendingConfigurationCount: 3, source: manual };
  const manifest = await expectStatus(200, manifestOf(link));
  expect(manifest).toMatchObject({ ...asked, title: 'Set up secrets for agent agent_7' });
  const open = { status: 'needs_configuration', required: true, description: null };
  expect(manifest.items).toMatchObject([
    { ...open, itemId: 'NAMED', secretKey: 'NAMED', secretId: pending.id, version: 0 },
    { ...open, itemId: 'GONE', secretKey: 'GONE', secretId: gone.id, version: 1 },
    { ...open, itemId: 'NEW', secretKey: 'NEW', version: 0 },
  ]);
  expect(manifest.items[2]).not.toHaveProperty('secretId');
  expect(manifest).not.toHaveProperty('returnUrl');
});

test('submitted values are stored in Secrets Manager, and the link expires immediately', async () => {
  const tenant = await newTenant();
  const pending = await newKeyedSecret(tenant, 'NAMED');
  const gone = await newKeyedSecret(tenant, 'GONE', 'gone for good');
  await revokeSecret(tenant, gone.id);
  const keys = ['NAMED', 'GONE', 'NEW'];
  const link = await setupLink(tenant, keys);
  const returnUrl = 'https://example.com/done?x=1';
  const answer = await expectStatus(200, submit(link, keys.map(item), { returnUrl }));
  expect(answer).toMatchObject({
    success: true,
    manifest: { configurationStatus: 'configured', pendingConfigurationCount: 0, source: manual, returnUrl },
  });
  for (const key of keys) expect(JSON.stringify(answer)).not.toContain(value(key));
  expect(await Promise.all(keys.map((key) => storedSecret(tenant, key)))).toMatchObject([
    { id: pending.id, status: 'active', version: 1, value: value('NAMED'), userId: tenant.userId },
    { id: gone.id, status: 'active', version: 2, value: value('GONE') },
    { status: 'active', version: 1, value: value('NEW') },
  ]);
  for (const { status, body } of [await manifestOf(link), await submit(link, [item('NEW')])]) {
    expect({ status, body }).toEqual({ status: 401, body: unauthorized });
  }
});

test('a link stays valid for values still missing, and does not replace existing ones', async () => {
  const tenant = await newTenant();
  const link = await setupLink(tenant, ['FIRST', 'SECOND', 'THIRD']);
  const { manifest } = await expectStatus(200, submit(link, [item('FIRST')]));
  expect(manifest).toMatchObject({
    configurationStatus: 'needs_configuration',
    pendingConfigurationCount: 2,
    items: [{ status: 'configured' }, { status: 'needs_configuration' }, { status: 'needs_configuration' }],
  });
  const again = { key: 'FIRST', value: 'another value' };
  const { details } = await expectStatus(409, submit(link, [item('SECOND'), again]));
  expect(details).toMatchObject([{ path: 'items.1.key', code: 'ALREADY_CONFIGURED' }]);
  expect(await storedSecret(tenant, 'FIRST')).toMatchObject({ version: 1, value: value('FIRST') });
  expect(await storedSecret(tenant, 'SECOND')).toBeUndefined();
  // What others configure meanwhile is not missing any more.
  await newKeyedSecret(tenant, 'THIRD', 'by its owner');
  await expectStatus(200, submit(link, [item('SECOND')]));
  expect((await manifestOf(link)).status).toBe(401);
});

test('of many concurrent submissions that complete a link, exactly one succeeds', async () => {
  const tenant = await newTenant();
  const link = await setupLink(tenant, ['ONLY']);
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => submit(link, [{ key: 'ONLY', value: `the value ${n}` }])),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  for (const status of statuses) expect([200, 401, 409]).toContain(status);
  expect(await storedSecret(tenant, 'ONLY')).toMatchObject({
    version: 1,
    value: `the value ${statuses.indexOf(200)}`,
  });
});

test('a link expires on time, despite the authorizer’s cache', async () => {
  const tenant = await newTenant();
  const link = await setupLink(tenant, ['LATE']);
  expect((await manifestOf(link)).status).toBe(200);
  await expireAt(tenant, link.token, new Date());
  for (const { status, body } of [await manifestOf(link), await submit(link, [item('LATE')])]) {
    expect({ status, body }).toEqual({ status: 401, body: unauthorized });
  }
  expect(await storedSecret(tenant, 'LATE')).toBeUndefined();
});

test('an invented token of the right form is not accepted', async () => {
  const { status, body } = await manifestOf({ call: callerWith(generateKey('setup-link')) });
  expect({ status, body }).toEqual({ status: 401, body: unauthorized });
});

test('the token authorizes only the two intake operations', async () => {
  const tenant = await newTenant();
  const link = await setupLink(tenant, ['KEY_1']);
  const all: readonly AnyEndpoint[] = endpoints;
  const others = all.filter(({ permission, path }) => permission !== 'public' && !path.includes('/intake/'));
  expect(others.length).toBeGreaterThan(40);
  for (const endpoint of others) {
    const { method, path, permission } = endpoint;
    const { status, body } = await link.call(method, path.replace(/\{\w+\}/g, `x_${'0'.repeat(26)}`));
    const refusal = refusalBody(
      endpoint,
      permission === 'authenticated' ? '*' : [permission].flat().join(' or '),
    );
    expect({ path, status, body }).toEqual({ path, status: 403, body: refusal });
  }
  expect((await manifestOf(link)).status).toBe(200);
});

test('the token gives access only to its own keys, in its own tenant', async () => {
  const [owner, stranger] = [await newTenant(), await newTenant()];
  await newKeyedSecret(owner, 'OTHER', 'another secret');
  await newKeyedSecret(stranger, 'ASKED', 'of the stranger');
  const link = await setupLink(owner, ['ASKED']);
  await expectInvalid(submit(link, [item('ASKED'), item('OTHER')]), 'items.1.key');
  expect(await storedSecret(owner, 'ASKED')).toBeUndefined();
  await expectStatus(404, manifestOf(link, { type: 'secret', key: 'OTHER' }));
  await expectStatus(404, manifestOf(link, { type: 'manual', key: 'OTHER' }));
  expect((await manifestOf(link, { type: 'secret', key: 'ASKED' })).body.items).toHaveLength(1);
  await expectStatus(200, submit(link, [item('ASKED')]));
  expect(await storedSecret(stranger, 'ASKED')).toMatchObject({ value: 'of the stranger' });
});

test('with a permission, a session can request the pending secrets, and one key by its name', async () => {
  const tenant = await newTenant();
  await newKeyedSecret(tenant, 'READY', 'ready, steady');
  await newKeyedSecret(tenant, 'NAMED');
  const keysOf = async (source: object) =>
    (await expectStatus(200, manifestOf(tenant, source))).items.map(
      ({ itemId, status }: { itemId: string; status: string }) => [itemId, status],
    );
  expect(await keysOf(manual)).toEqual([['NAMED', 'needs_configuration']]);
  expect(await keysOf({ type: 'manual', key: 'NEW' })).toEqual([['NEW', 'needs_configuration']]);
  expect(await keysOf({ type: 'secret', key: 'READY' })).toEqual([['READY', 'configured']]);
  await expectStatus(404, manifestOf(tenant, { type: 'secret', key: 'NEW' }));
  await expectStatus(404, manifestOf(tenant, { type: 'product', productId: 'prod_1' }));
});

test('with a permission, a session can create and rotate values, by key, item or id', async () => {
  const tenant = await newTenant();
  const { key } = await newKey(tenant, { permissions: ['SECRETS:WRITE'] });
  const ready = await newKeyedSecret(tenant, 'READY', 'ready, steady');
  const named = await newKeyedSecret(tenant, 'NAMED');
  const items = [
    { ...withoutKey(item('READY')), secretId: ready.id, expectedVersion: 1 },
    { ...withoutKey(item('NAMED')), itemId: 'NAMED', secretId: named.id, expectedVersion: 0 },
    { ...item('NEW'), expectedVersion: 0, description: 'What it opens', displayName: 'New' },
  ];
  const headers = { authorization: `Bearer ${key}` };
  const body = { source: manual, items };
  const answer = await expectStatus(200, tenant.call('POST', '/v1/secrets/intake/submit', { body, headers }));
  expect(answer.manifest).toMatchObject({ configurationStatus: 'configured', pendingConfigurationCount: 0 });
  expect(await storedSecret(tenant, 'READY')).toMatchObject({ version: 2, value: 'value of READY' });
  expect(await storedSecret(tenant, 'NAMED')).toMatchObject({ version: 1, value: 'value of NAMED' });
  expect(await storedSecret(tenant, 'NEW')).toMatchObject({ version: 1, description: 'What it opens' });
});

const good = item('GOOD');
const someId = `secret_${'0'.repeat(26)}`;
test.each([
  ['a value that is too short', [good, { key: 'BAD', value: '1234567' }], ['items.1.value']],
  ['a value that is too long', [good, { key: 'BAD', value: 'x'.repeat(10_001) }], ['items.1.value']],
  ['a missing value', [good, { key: 'BAD' }], ['items.1.value']],
  ['a value that is no text', [good, { key: 'BAD', value: 12_345_678 }], ['items.1.value']],
  ['a malformed key', [good, { key: 'bad', value: value('x') }], ['items.1.key']],
  ['no secret named', [good, { value: value('x') }], ['items.1.key']],
  ['a secret named twice', [good, { itemId: 'GOOD', value: value('x') }], ['items.1.key']],
  ['an unknown id', [good, { secretId: someId, value: value('x') }], ['items.1.secretId']],
  ['a garbled id', [good, { secretId: 'secret_1', value: value('x') }], ['items.1.secretId']],
  ['key and id of two secrets', [good, { ...item('BAD'), secretId: someId }], ['items.1.secretId']],
  ['key and item of two secrets', [good, { ...item('BAD'), itemId: 'OTHER' }], ['items.1.itemId']],
  [
    'a description that is too long',
    [good, { ...item('BAD'), description: 'x'.repeat(501) }],
    ['items.1.description'],
  ],
  ['a negative version', [good, { ...item('BAD'), expectedVersion: -1 }], ['items.1.expectedVersion']],
  ['an unknown member', [good, { ...item('BAD'), status: 'active' }], ['items.1.status']],
  ['several mistakes', [good, { value: value('x') }, item('GOOD')], ['items.1.key', 'items.2.key']],
  ['no items', [], ['items']],
  ['too many items', Array.from({ length: 51 }, (_, n) => item(`KEY_${n}`)), ['items']],
])('nothing is stored with %s, and the response does not repeat the value', async (_, items, paths) => {
  const tenant = await newTenant();
  const answer = submit(tenant, items);
  await expectInvalid(answer, ...paths);
  expect(JSON.stringify((await answer).body)).not.toMatch(/value of |1234567|xxx/);
  expect(await storedSecret(tenant, 'GOOD')).toBeUndefined();
  expect((await expectStatus(200, tenant.call('GET', '/v1/secrets'))).data).toEqual([]);
});

test('409 that names the item for a version other than the expected one, and nothing is stored', async () => {
  const tenant = await newTenant();
  await newKeyedSecret(tenant, 'READY', 'ready, steady');
  const { details } = await expectStatus(
    409,
    submit(tenant, [item('NEW'), { ...item('READY'), expectedVersion: 0 }]),
  );
  expect(details).toMatchObject([{ path: 'items.1.expectedVersion', code: 'VERSION_MISMATCH' }]);
  expect(await storedSecret(tenant, 'NEW')).toBeUndefined();
  expect(await storedSecret(tenant, 'READY')).toMatchObject({ version: 1, value: 'ready, steady' });
});

test.each([
  [{ type: 'secret' }, 'source.key'],
  [{ type: 'product' }, 'source.productId'],
  [{ type: 'agent' }, 'source.type'],
  [{ type: 'manual', key: 'not good' }, 'source.key'],
  [{ type: 'manual', other: 1 }, 'source.other'],
])('a source like %j is rejected', async (source, path) => {
  const tenant = await newTenant();
  await expectInvalid(manifestOf(tenant, source), path);
  await expectInvalid(submit(tenant, [item('KEY_1')], { source }), path);
});

test('an item must belong to the source', async () => {
  const tenant = await newTenant();
  await newKeyedSecret(tenant, 'READY', 'ready, steady');
  const source = { type: 'secret', key: 'READY' };
  await expectInvalid(submit(tenant, [item('READY'), item('NEW')], { source }), 'items.1.key');
  await expectStatus(200, submit(tenant, [item('READY')], { source }));
  await expectStatus(404, submit(tenant, [item('NEW')], { source: { type: 'secret', key: 'NEW' } }));
  await expectStatus(404, submit(tenant, [item('NEW')], { source: { type: 'product', productId: 'p' } }));
});

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'http://example.com/',
  'http://localhost.example.com/',
  'https://name:password@example.com/',
  '//example.com',
  '/here',
  '',
  `https://example.com/${'x'.repeat(2_048)}`,
])('the return link never leads to %s', async (returnUrl) => {
  const tenant = await newTenant();
  await expectInvalid(manifestOf(tenant, manual, { returnUrl }), 'returnUrl');
  await expectInvalid(submit(tenant, [item('KEY_1')], { returnUrl }), 'returnUrl');
  expect(await storedSecret(tenant, 'KEY_1')).toBeUndefined();
});

test.each(['https://example.com/done#x', 'http://localhost:5173/', 'http://127.0.0.1/', 'http://[::1]:80/x'])(
  'the manifest returns %s unchanged',
  async (returnUrl) => {
    const tenant = await newTenant();
    const manifest = await expectStatus(200, manifestOf(tenant, manual, { returnUrl }));
    expect(manifest.returnUrl).toBe(returnUrl);
  },
);

test('only the hash of a token is stored', async () => {
  const tenant = await newTenant();
  const { token } = await setupLink(tenant, ['KEY_1']);
  const stored = JSON.stringify(await storedLink(tenant, token));
  expect(stored).toContain('KEY_1');
  expect(stored).not.toContain(token.slice(9));
});
