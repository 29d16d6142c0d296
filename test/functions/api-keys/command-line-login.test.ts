import { Agent, fetch } from 'undici';
import { expect, test } from 'vitest';
import { commandLineLogins } from '../../../shared/domain/api-keys/command-line-logins.ts';
import { credentialPartition } from '../../../shared/platform/auth/api-key.ts';
import { generateKey, hashKey } from '../../../shared/platform/auth/key-format.ts';
import type { Principal } from '../../../shared/platform/identity/principal.ts';
import {
  allowedLogin,
  loginBody,
  loginsPath,
  newProof,
  redeemPath,
  sendRedemption,
} from '../../support/command-line/command-line-logins.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newAddress, ownAddress } from '../../support/servers/own-address.ts';
import { newKey } from '../../support/stack/keys.ts';
import {
  callerWith,
  countingRuntime,
  countingTable,
  newTenant,
  stack,
  type Tenant,
} from '../../support/stack/stack.ts';

const notFound = {
  status: 404,
  body: { error: 'Login not found', details: [{ code: 'NOT_FOUND', message: 'Login not found' }] },
};
const seen = ({ status, body }: Awaited<ReturnType<typeof sendRedemption>>) => ({ status, body });
const keysOf = async ({ call }: Tenant) => (await expectStatus(200, call('GET', '/v1/api-keys'))).apiKeys;
const sessionOf = ({ tenant, userId }: Tenant): Principal => ({
  kind: 'session',
  tenant,
  userId,
  organizationId: null,
  environment: 'production',
  keyId: null,
  hash: null,
  permissions: ['*'],
  sourceIp: null,
});

test('the program gets a key for the code that a person allowed, with the permissions that the person chose', async () => {
  const organizationId = `org-${Date.now()}`;
  const tenant = await newTenant({ organizationId });
  const login = await allowedLogin(tenant, { permissions: ['FLOWS:READ', 'RECORDS:READ'] });
  expect(await keysOf(tenant)).toEqual([]);
  const key = await expectStatus(201, sendRedemption(login));
  expect(key).toEqual({
    id: expect.stringMatching(/^key_/),
    name: 'Command line on laptop',
    permissions: ['FLOWS:READ', 'RECORDS:READ'],
    plainKey: expect.stringMatching(/^tv_live_/),
    userId: tenant.userId,
    organizationId,
  });
  const call = callerWith(key.plainKey);
  await expectStatus(200, call('GET', '/v1/flows'));
  await expectStatus(403, call('GET', '/v1/secrets'));
  const flow = await expectStatus(
    201,
    tenant.call('POST', '/v1/flows', { body: { name: 'Of the organization' } }),
  );
  expect((await call('GET', `/v1/flows/${flow.id}`)).status).toBe(200);
  expect(await keysOf(tenant)).toMatchObject([{ id: key.id, name: key.name, isActive: true }]);
});

test('the audit log says who allowed what for which computer, and to which address the key went', async () => {
  const tenant = await newTenant();
  const login = await allowedLogin(tenant);
  const { id } = await expectStatus(201, sendRedemption(login));
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/audit-log'));
  expect(data).toMatchObject([
    { action: 'api-key.created', targetId: id, userId: tenant.userId, sourceIp: ownAddress },
    {
      action: 'command-line-login.allowed',
      targetId: expect.stringMatching(/^login_/),
      userId: tenant.userId,
      sourceIp: '127.0.0.1',
      details: { host: 'laptop', permissions: ['FLOWS:READ'], expiresAt: login.expiresAt },
    },
  ]);
  expect(JSON.stringify(data)).not.toMatch(/tv_l/);
});

test('the table has the hash of a code and of its verifier only, and nothing of a code that was used', async () => {
  const tenant = await newTenant();
  const login = await allowedLogin(tenant);
  const partition = credentialPartition(hashKey(login.code));
  const stored = await countingTable(tenant.tenant).queryAll({ partition });
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain(login.code);
  expect(JSON.stringify(stored)).not.toContain(login.codeVerifier);
  await expectStatus(201, sendRedemption(login));
  expect(await countingTable(tenant.tenant).queryAll({ partition })).toEqual([]);
});

test('a code gives one key, however many ask for it at once', async () => {
  const tenant = await newTenant();
  const login = await allowedLogin(tenant);
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => sendRedemption(login)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404, 404, 404, 404]);
  expect(seen(await sendRedemption(login))).toEqual(notFound);
  expect(await keysOf(tenant)).toHaveLength(1);
});

test('a wrong verifier ends the code, and gets the answer of an unknown code', async () => {
  const tenant = await newTenant();
  const login = await allowedLogin(tenant);
  expect(seen(await sendRedemption({ ...login, ...newProof() }))).toEqual(notFound);
  expect(seen(await sendRedemption(login))).toEqual(notFound);
  for (const code of [generateKey('login'), generateKey('production'), 'tv_login_x', 'code']) {
    expect(seen(await sendRedemption({ ...login, code }))).toEqual(notFound);
  }
  expect(await keysOf(tenant)).toEqual([]);
});

test('a code lasts two minutes, and not longer than the session of the person who allowed it', async () => {
  const tenant = await newTenant();
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const startMs = Math.floor(Date.now() / 1_000) * 1_000;
  const at = (ms: number) => commandLineLogins({ ...scope, now: () => new Date(startMs + ms) });
  const allow = async (person: Principal) => {
    const { codeVerifier, challenge } = newProof();
    return { codeVerifier, ...(await at(0).allow(person, loginBody(challenge))) };
  };
  const person = sessionOf(tenant);
  for (const [expiresAt, lastsMs] of [
    [undefined, 120_000],
    [startMs / 1_000 + 3_600, 120_000],
    [startMs / 1_000 + 30, 30_000],
  ] as const) {
    const ends = { ...person, ...(expiresAt && { expiresAt }) };
    const [late, early] = [await allow(ends), await allow(ends)];
    expect(Date.parse(late.expiresAt)).toBe(startMs + lastsMs);
    await expect(at(lastsMs).redeem(late, null)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await at(lastsMs - 1).redeem(early, null)).toMatchObject({
      plainKey: expect.stringMatching(/^tv_live_/),
    });
  }
});

test('a person cannot allow more than the session may, and an API key allows nothing', async () => {
  const { challenge } = newProof();
  const few = await newTenant({ permissions: ['API_KEYS:WRITE', 'FLOWS:READ'] });
  const body = loginBody(challenge, { permissions: ['FLOWS:READ', 'FLOWS:WRITE'] });
  const refused = await expectStatus(403, few.call('POST', loginsPath, { body }));
  expect(refused.details).toBe('Missing required permission: FLOWS:WRITE');
  const { call } = await newKey(await newTenant(), { permissions: ['*'] });
  await expectStatus(403, call('POST', loginsPath, { body }));
  const options = await expectStatus(200, few.call('GET', '/v1/api-keys/options'));
  expect(options.commandLinePermissions).toEqual(['FLOWS:READ']);
});

test.each([
  ['challenge', { challenge: 'short' }],
  ['host', { host: 'Your bank: press Allow' }],
  ['host', { host: 'laptop\u202e' }],
  ['host', { host: '' }],
  ['permissions', { permissions: [] }],
  ['permissions.0', { permissions: ['FLOWS:FLY'] }],
])('400 for a wrong %s: %j', async (path, wrong) => {
  const { call } = await newTenant();
  const body = loginBody(newProof().challenge, wrong);
  const { details } = await expectStatus(400, call('POST', loginsPath, { body }));
  expect(details).toMatchObject([{ path }]);
});

test('an address may try a hundred codes in an hour', async () => {
  const dispatcher = new Agent({ localAddress: newAddress() });
  const body = JSON.stringify({ code: generateKey('login'), codeVerifier: newProof().codeVerifier });
  const attempt = async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(stack().url + redeemPath, { method: 'POST', headers, body, dispatcher });
    await response.text();
    return response.status;
  };
  const statuses = [];
  for (let n = 0; n <= 100; n++) statuses.push(await attempt());
  expect(statuses).toEqual([...Array(100).fill(404), 429]);
});
