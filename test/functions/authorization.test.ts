import { expect, test } from 'vitest';
import { endpoints } from '../../functions/index.ts';
import { unauthenticated } from '../../shared/core/errors/errors.ts';
import { generateKey } from '../../shared/platform/auth/key-format.ts';
import type { AnyEndpoint } from '../../shared/platform/http/endpoint.ts';
import { newKey, tenantWithKey } from '../support/stack/keys.ts';
import { examplePath } from '../support/stack/paths.ts';
import { call, callerWith, newTenant } from '../support/stack/stack.ts';

const all: readonly AnyEndpoint[] = endpoints;
const guarded = all.filter(({ permission }) => permission !== 'public');
const needing = guarded.filter(({ permission }) => String(permission).includes(':'));
const named = (list: readonly AnyEndpoint[]) => list.map((endpoint) => [endpoint.id, endpoint] as const);

const unauthorized = { error: 'Unauthorized', details: 'The API key is invalid or missing' };

test.each(named(guarded))(
  '%s: 401 with the specified message without a credential, with an invented one and with a mistyped one',
  async (_id, endpoint) => {
    const path = examplePath(endpoint);
    const mistyped = `${generateKey('production').slice(0, -1)}!`;
    const answers = await Promise.all([
      call(endpoint.method, path),
      callerWith(generateKey('production'))(endpoint.method, path),
      callerWith(mistyped)(endpoint.method, path),
      callerWith('eyJhbGciOiJub25lIn0.e30.')(endpoint.method, path),
    ]);
    for (const { status, body, headers } of answers) {
      // Protocols have a form of errors of their own.
      const form = endpoint.errorBody?.bodyOf(unauthenticated(), 401);
      expect({ status, body }).toEqual({ status: 401, body: form ?? unauthorized });
      for (const name of ['limit', 'remaining', 'reset'])
        expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
    }
  },
);

/** A key and a session with one permission. */
const callersWith = async (permission: string) => [
  (await tenantWithKey([permission])).call,
  (await newTenant({ permissions: [permission] })).call,
];
const ofSecrets = callersWith('SECRETS:*');
const ofRecords = callersWith('RECORDS:*');

test.each(named(needing))(
  '%s: 403 names the missing permission, for a key and for a session',
  async (_id, endpoint) => {
    const others = await (String(endpoint.permission).startsWith('RECORDS') ? ofSecrets : ofRecords);
    const details = `Missing required permission: ${[endpoint.permission].flat().join(' or ')}`;
    const isOfProtocol = endpoint.errorBody !== undefined;
    for (const caller of others) {
      const answer = await caller(endpoint.method, examplePath(endpoint));
      expect(answer.status).toBe(403);
      if (isOfProtocol) expect(answer.body.error.message).toContain(details);
      else expect(answer.body).toEqual({ error: 'Forbidden', details });
      expect(Number(answer.headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
    }
  },
);

test('a group permission includes its actions, and the all permission includes everything; WRITE does not imply READ', async () => {
  const tenant = await newTenant();
  const [group, everything, write] = await Promise.all([
    newKey(tenant, { permissions: ['FLOWS:*'] }),
    newKey(tenant, { permissions: ['*'] }),
    newKey(tenant, { permissions: ['FLOWS:WRITE'] }),
  ]);
  expect((await group.call('GET', '/v1/flows')).status).toBe(200);
  expect((await everything.call('GET', '/v1/flows')).status).toBe(200);
  expect((await write.call('GET', '/v1/flows')).status).toBe(403);
});

test('the authorization scheme is case-insensitive, and no other scheme is accepted', async () => {
  const { key } = await tenantWithKey(['FLOWS:READ']);
  const withHeader = (authorization: string) => call('GET', '/v1/flows', { headers: { authorization } });
  expect((await withHeader(`bearer ${key}`)).status).toBe(200);
  expect((await withHeader(`BEARER ${key}`)).status).toBe(200);
  expect((await withHeader(`Basic ${key}`)).status).toBe(401);
  expect((await withHeader(key)).status).toBe(401);
  expect((await withHeader(`Bearer ${'x'.repeat(9_000)}`)).status).toBe(401);
});

test('the reference page, its assets and the API document require no credential', async () => {
  const pages = all.filter(
    ({ permission, method, id }) =>
      // Its credential is the session of a visitor.
      permission === 'public' && method === 'GET' && id !== 'client-chat.conversations',
  );
  for (const { path } of pages.filter((page) => !page.path.includes('{'))) {
    expect((await call('GET', path)).status).toBe(200);
  }
});
