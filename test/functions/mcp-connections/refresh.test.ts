import { expect, test } from 'vitest';
import { connectionTokens } from '../../../shared/domain/mcp-connections/connection-tokens.ts';
import { mcpConnectionEntity } from '../../../shared/domain/mcp-connections/mcp-connection.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { allowHost } from '../../support/servers/loopback.ts';
import {
  authorize,
  connected,
  createConnectedTool,
  execute,
  getConnection,
  newRealm,
} from '../../support/servers/oauth.ts';
import type { RealmOptions } from '../../support/servers/oauth-server.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

/** A tool with a connection whose access token is as good as expired, and a realm whose next tokens last. */
async function setUp(first: RealmOptions, next: RealmOptions = {}) {
  const tenant = await newTenant();
  const realm = await newRealm(first);
  const connection = await connected(tenant, realm);
  await realm.control({ options: next });
  const { id: toolId } = await createConnectedTool(tenant, connection.id, realm.url);
  const refreshes = async () =>
    (await realm.seen()).seen.filter(({ body }) => body.includes('grant_type=refresh_token')).length;
  return { tenant, realm, connection, toolId, refreshes };
}

const succeeded = { status: 'success', result: expect.stringContaining('scope read') };

test('a token that expires is refreshed once, and the new one is kept', async () => {
  const { tenant, toolId, refreshes, connection } = await setUp({ expiresIn: 10 });
  expect(await execute(tenant, toolId)).toMatchObject(succeeded);
  expect(await execute(tenant, toolId)).toMatchObject(succeeded);
  expect(await refreshes()).toBe(1);
  expect(await getConnection(tenant, connection.id)).toMatchObject({ status: 'connected' });
});

test('a refresh token that stays the same works too', async () => {
  const steady = { expiresIn: 10, refresh: 'steady' } as const;
  const { tenant, toolId, refreshes } = await setUp(steady, steady);
  expect(await execute(tenant, toolId)).toMatchObject(succeeded);
  expect(await execute(tenant, toolId)).toMatchObject(succeeded);
  expect(await refreshes()).toBe(2);
});

test('of runs that need a new token at once, one refreshes, and the others get its token', async () => {
  const { tenant, toolId, refreshes } = await setUp({ expiresIn: 10 }, { refreshMs: 400 });
  const runs = await Promise.all(Array.from({ length: 5 }, () => execute(tenant, toolId)));
  expect(runs).toEqual(runs.map(() => expect.objectContaining(succeeded)));
  expect(await refreshes()).toBe(1);
});

test('processes without a common memory share the lease in the table', async () => {
  const { tenant, realm, connection, refreshes } = await setUp({ expiresIn: 10 }, { refreshMs: 400 });
  allowHost(new URL(realm.url).host);
  const { signal } = new AbortController();
  const tokens = await Promise.all(
    Array.from({ length: 3 }, () =>
      connectionTokens(countingRuntime().scopeOf(tenant.tenant)).open(connection.id, realm.url, signal),
    ),
  );
  expect(new Set(tokens.map(({ accessToken }) => accessToken)).size).toBe(1);
  expect(await refreshes()).toBe(1);
});

test('the lease of a process that crashed ends', async () => {
  const { tenant, realm, connection, refreshes } = await setUp({ expiresIn: 10 });
  allowHost(new URL(realm.url).host);
  const { signal } = new AbortController();
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const until = new Date(Date.now() + 600).toISOString();
  await scope.table.modify(mcpConnectionEntity, connection, (item) => ({
    put: { ...item, lease: { id: 'of a crashed process', until } },
  }));
  await connectionTokens(scope).open(connection.id, realm.url, signal);
  expect(new Date().toISOString() > until).toBe(true);
  expect(await refreshes()).toBe(1);
});

test('a token that the server does not accept any more is refreshed, and the call is sent once more', async () => {
  const { tenant, realm, toolId, refreshes } = await setUp({});
  await realm.control({ forget: 'tokens' });
  expect(await execute(tenant, toolId)).toMatchObject(succeeded);
  expect(await refreshes()).toBe(1);
});

test('a grant that its server has ended needs a person', async () => {
  const { tenant, realm, connection, toolId } = await setUp({});
  await realm.control({ forget: 'grants' });
  const failed = await execute(tenant, toolId);
  expect(failed).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/is expired \(The authorization server answered invalid_grant.*new link/),
  });
  expect(JSON.stringify(failed)).not.toMatch(/refresh-\d+-[0-9a-f]{8}/);
  expect(await getConnection(tenant, connection.id)).toMatchObject({ status: 'expired' });
  const path = `/v1/mcp-connections/${connection.id}/authorize`;
  const { data } = await expectStatus(200, tenant.call('POST', path, { body: {} }));
  expect(await authorize(data.authorizeUrl)).toBe('connected');
  expect(await execute(tenant, toolId)).toMatchObject(succeeded);
});

test('a server that is down is no reason to give the connection up', async () => {
  const tenant = await newTenant();
  const realm = await newRealm({ expiresIn: 10 });
  const connection = await connected(tenant, realm);
  const { id: toolId } = await createConnectedTool(tenant, connection.id, realm.url);
  await realm.control({ options: { tokenStatus: 503 } });
  expect(await execute(tenant, toolId)).toMatchObject({ status: 'failed' });
  expect(await getConnection(tenant, connection.id)).toMatchObject({ status: 'connected' });
  await realm.control({ options: {} });
  expect(await execute(tenant, toolId)).toMatchObject(succeeded);
});

test('without a refresh token, a connection ends with its access token', async () => {
  const none = { refresh: 'none' } as const;
  const short = await setUp({ ...none, expiresIn: 1 });
  await expect
    .poll(async () => (await getConnection(short.tenant, short.connection.id)).status, { timeout: 5_000 })
    .toBe('expired');
  const lasting = await setUp({ ...none, expiresIn: null });
  expect(await execute(lasting.tenant, lasting.toolId)).toMatchObject(succeeded);
  await lasting.realm.control({ forget: 'tokens' });
  expect(await execute(lasting.tenant, lasting.toolId)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('is expired (The access token does not work any more'),
  });
});

test('a server that demands more scopes is told apart, and the next link asks for them', async () => {
  const { tenant, connection, toolId } = await setUp({}, { demands: 'read admin' });
  expect(await execute(tenant, toolId)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/demands more than the connection \S+ was granted \(scopes: read admin\)/),
  });
  const path = `/v1/mcp-connections/${connection.id}/authorize`;
  const { data } = await expectStatus(200, tenant.call('POST', path, { body: {} }));
  expect(await authorize(data.authorizeUrl)).toBe('connected');
  const { result } = await execute(tenant, toolId);
  expect(result).toContain('scope read admin;');
});

test('a run without a connection reads nothing of connections', async () => {
  const { authorizeMcp } = await import('../../../shared/execution/tools/connected-mcp.ts');
  const outcome = { output: 'It' };
  const mcp = authorizeMcp(
    { listTools: async () => ({ tools: [], omitted: 0 }), callTool: async () => outcome },
    () => Promise.reject(new Error('Reads connections')),
  );
  const { signal } = new AbortController();
  const call = { url: 'https://example.com', headers: {}, timeoutMs: 1, signal, toolName: 'it', args: {} };
  expect(await mcp.callTool(call)).toBe(outcome);
});
