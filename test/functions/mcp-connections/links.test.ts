import { expect, test } from 'vitest';
import { mcpConnectionEntity } from '../../../shared/domain/mcp-connections/mcp-connection.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import {
  authorize,
  browse,
  createConnection,
  getConnection,
  locationHash,
  newRealm,
  toCallback,
} from '../../support/servers/oauth.ts';
import type { RealmOptions } from '../../support/servers/oauth-server.ts';
import { countingTable, newTenant, stack, type Tenant } from '../../support/stack/stack.ts';

async function setUp(options: RealmOptions = {}) {
  const tenant = await newTenant();
  const realm = await newRealm(options);
  return { tenant, realm, connection: await createConnection(tenant, { url: realm.url }) };
}

const statusOf = async (tenant: Tenant, id: string) => {
  const { status, error } = await getConnection(tenant, id);
  return { status, error };
};

/** The requests for tokens that the realm got. */
const tokenRequests = async ({ seen }: Awaited<ReturnType<typeof newRealm>>) =>
  (await seen()).seen.filter(({ path }) => path.endsWith('/as/token'));

test('a link works once', async () => {
  const { connection } = await setUp();
  expect(await authorize(connection.authorizeUrl)).toBe('connected');
  expect(locationHash(await browse(connection.authorizeUrl))).toBe('expired');
});

test('a link that was opened, by a preview too, can be opened again until somebody comes back', async () => {
  const { tenant, connection } = await setUp();
  const first = await toCallback(connection.authorizeUrl);
  expect(await authorize(connection.authorizeUrl)).toBe('connected');
  expect(locationHash(await browse(first.callback, first.cookie))).toBe('expired');
  expect(await statusOf(tenant, connection.id)).toEqual({ status: 'connected', error: null });
});

test('a link expires after a day, and a new one replaces the one before', async () => {
  const { tenant, connection } = await setUp();
  const path = `/v1/mcp-connections/${connection.id}`;
  const { data } = await expectStatus(200, tenant.call('POST', `${path}/authorize`, { body: {} }));
  expect(locationHash(await browse(connection.authorizeUrl))).toBe('expired');

  const begun = await toCallback(data.authorizeUrl);
  const inADay = Date.parse(data.authorizeUrlExpiresAt) - Date.parse(data.updatedAt);
  expect(inADay).toBeLessThanOrEqual(24 * 3_600_000);
  await countingTable(tenant.tenant).modify(mcpConnectionEntity, { id: connection.id }, (item) => ({
    put: { ...item, link: item.link && { ...item.link, expiresAt: '2020-01-01T00:00:00.000Z' } },
  }));
  expect(locationHash(await browse(data.authorizeUrl))).toBe('expired');
  expect(locationHash(await browse(begun.callback, begun.cookie))).toBe('expired');
  expect((await getConnection(tenant, connection.id)).authorizeUrlExpiresAt).toBe(null);
});

test('of concurrent callbacks with a state one exchanges the code, and a replay none', async () => {
  const { realm, connection } = await setUp();
  const { callback, cookie } = await toCallback(connection.authorizeUrl);
  const ends = await Promise.all(Array.from({ length: 4 }, () => browse(callback, cookie)));
  expect(ends.map(locationHash).sort()).toEqual(['connected', 'expired', 'expired', 'expired']);
  expect(locationHash(await browse(callback, cookie))).toBe('expired');
  expect(await tokenRequests(realm)).toHaveLength(1);
});

test('a callback counts only in the browser that opened the link, with its state', async () => {
  const { tenant, realm, connection } = await setUp();
  const { callback, cookie } = await toCallback(connection.authorizeUrl);
  expect(locationHash(await browse(callback))).toBe('expired');
  expect(locationHash(await browse(callback, `mcp-authorization=${'x'.repeat(43)}`))).toBe('expired');
  for (const state of [
    '',
    'x',
    `${'0'.repeat(64)}.x`,
    'x'.repeat(5_000),
    `${new URL(callback).searchParams.get('state')}x`,
  ]) {
    const forged = new URL(callback);
    forged.searchParams.set('state', state);
    expect(locationHash(await browse(forged.href, cookie))).toBe('expired');
  }
  expect(locationHash(await browse(`${stack().url}/v1/public/mcp-connections/callback`))).toBe('expired');
  expect(locationHash(await browse(`${stack().url}/v1/public/mcp-connections/open`))).toBe('expired');
  expect(await statusOf(tenant, connection.id)).toEqual({ status: 'pending', error: null });
  expect(await tokenRequests(realm)).toEqual([]);
  expect(locationHash(await browse(callback, cookie))).toBe('connected');
});

test('the state of one connection does not end the authorization of another', async () => {
  const [one, other] = [await setUp(), await setUp()];
  const [mine, theirs] = [
    await toCallback(one.connection.authorizeUrl),
    await toCallback(other.connection.authorizeUrl),
  ];
  const mixed = new URL(mine.callback);
  mixed.searchParams.set('state', new URL(theirs.callback).searchParams.get('state') ?? '');
  expect(locationHash(await browse(mixed.href, mine.cookie))).toBe('expired');
  expect(await statusOf(other.tenant, other.connection.id)).toEqual({ status: 'pending', error: null });
});

test.each([
  ['another issuer', 'https://attacker.example'],
  ['no issuer, although the server always names it', null],
])('a callback that names %s is refused before the code is sent anywhere', async (_what, iss) => {
  const { tenant, realm, connection } = await setUp({ iss });
  expect(await authorize(connection.authorizeUrl)).toBe('failed');
  expect(await statusOf(tenant, connection.id)).toEqual({
    status: 'failed',
    error: 'The authorization server names another issuer than it should, so it is not trusted',
  });
  expect(await tokenRequests(realm)).toEqual([]);
});

test('a server that never names its issuer does not have to', async () => {
  const metadata = { authorization_response_iss_parameter_supported: null };
  const { connection } = await setUp({ iss: null, metadata });
  expect(await authorize(connection.authorizeUrl)).toBe('connected');
});

test('a refusal is told, and a new link mends it', async () => {
  const { tenant, realm, connection } = await setUp({ error: 'access_denied' });
  expect(await authorize(connection.authorizeUrl)).toBe('denied');
  expect(await statusOf(tenant, connection.id)).toEqual({
    status: 'failed',
    error: 'The person, or the authorization server, denied access',
  });
  await realm.control({ options: {} });
  const path = `/v1/mcp-connections/${connection.id}/authorize`;
  const { data } = await expectStatus(200, tenant.call('POST', path, { body: {} }));
  expect(await authorize(data.authorizeUrl)).toBe('connected');
  expect(await statusOf(tenant, connection.id)).toEqual({ status: 'connected', error: null });
  expect((await realm.seen()).clients).toHaveLength(1);
});

test('an authorization that fails leaves the tokens that the connection has', async () => {
  const { tenant, realm, connection } = await setUp();
  expect(await authorize(connection.authorizeUrl)).toBe('connected');
  await realm.control({ options: { error: 'access_denied' } });
  const path = `/v1/mcp-connections/${connection.id}/authorize`;
  const { data } = await expectStatus(200, tenant.call('POST', path, { body: {} }));
  expect(await authorize(data.authorizeUrl)).toBe('denied');
  expect(await statusOf(tenant, connection.id)).toMatchObject({ status: 'connected' });
});

test('a client that its server has forgotten is registered anew', async () => {
  const { tenant, realm, connection } = await setUp();
  const { callback, cookie } = await toCallback(connection.authorizeUrl);
  await realm.control({ forget: 'clients' });
  expect(locationHash(await browse(callback, cookie))).toBe('failed');
  const path = `/v1/mcp-connections/${connection.id}/authorize`;
  const { data } = await expectStatus(200, tenant.call('POST', path, { body: {} }));
  expect(await authorize(data.authorizeUrl)).toBe('connected');
});

test('the words of a server about a failure do not contain what was sent', async () => {
  const { tenant, connection } = await setUp();
  const { callback, cookie } = await toCallback(connection.authorizeUrl);
  const wrong = new URL(callback);
  wrong.searchParams.set('code', 'code-that-does-not-exist');
  expect(locationHash(await browse(wrong.href, cookie))).toBe('failed');
  const { error } = await statusOf(tenant, connection.id);
  expect(error).toContain(
    'The authorization server answered invalid_grant: No: grant_type=authorization_code',
  );
  expect(error).toContain('[secret:code]');
  expect(error).not.toContain('code-that-does-not-exist');
});

test('the page at the end has no script, and no page may frame it', async () => {
  const response = await fetch(`${stack().url}/mcp-connections/done`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  const page = await response.text();
  expect(page).not.toContain('<script');
  for (const id of ['connected', 'denied', 'failed', 'expired']) expect(page).toContain(`id="${id}"`);
  const style = await fetch(`${stack().url}/mcp-connections/done/style.css`);
  expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
});
