import { expect, inject, onTestFinished, test, vi } from 'vitest';
import {
  answered,
  calls,
  createScriptedAgent,
  run,
  scripted,
  streamed,
} from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { allowHost } from '../../support/servers/loopback.ts';
import {
  authorize,
  browse,
  connected,
  createConnectedTool,
  createConnection,
  execute,
  getConnection,
  locationHash,
  newRealm,
  toCallback,
} from '../../support/servers/oauth.ts';
import { newKey } from '../../support/stack/keys.ts';
import { ownGateway } from '../../support/stack/own-gateway.ts';
import { countingTable, newTenant } from '../../support/stack/stack.ts';

const create = (body: object) => ['POST', '/v1/mcp-connections', { body }] as const;

test('a person connects a server, and a tool uses the token, which nobody sees', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const created = await createConnection(tenant, { url: realm.url, name: 'Who' });
  expect(created).toMatchObject({ status: 'pending', url: realm.url, scopes: null, grantedScopes: [] });
  expect(await authorize(created.authorizeUrl)).toBe('connected');
  const shown = await getConnection(tenant, created.id);
  const known = { status: 'connected', grantedScopes: ['read'], error: null, expiresAt: expect.any(String) };
  expect(shown).toMatchObject({ ...known, authorizeUrl: null, authorizeUrlExpiresAt: null });

  const { id } = await createConnectedTool(tenant, created.id, realm.url);
  const result = `scope read; token [secret:${created.id}.accessToken]`;
  expect(await execute(tenant, id)).toMatchObject({ status: 'success', result });
  const { clients } = await realm.seen();
  expect(clients).toEqual([
    expect.objectContaining({
      redirect_uris: [created.callbackUrl],
      grant_types: ['authorization_code', 'refresh_token'],
    }),
  ]);
});

test('an agent uses a connection, and its events do not show the token', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const { id: connectionId } = await connected(tenant, realm);
  const auth = { type: 'oauth', connectionId };
  const agent = await createScriptedAgent(tenant, {
    tools: { mcpServers: [{ id: 'who', url: realm.url, auth }] },
  });
  expect(agent.config.tools.mcpServers[0].auth).toEqual(auth);
  const script = scripted(calls(['who__whoami']), { text: 'Done' });
  const events = JSON.stringify(await streamed(tenant, agent.id, script));
  expect(events).toContain(`scope read; token [secret:${connectionId}.accessToken]`);
  expect(events).not.toMatch(/access-[0-9a-f]{8}-/);
});

test('a connection that nobody has authorized fails calls with what to do', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const { id: connectionId } = await createConnection(tenant, { url: realm.url });
  const { id } = await createConnectedTool(tenant, connectionId, realm.url);
  expect(await execute(tenant, id)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(
      `is pending: create a new link with POST /v1/mcp-connections/${connectionId}/authorize`,
    ),
  });
  const auth = { type: 'oauth', connectionId };
  const agent = await createScriptedAgent(tenant, {
    tools: { mcpServers: [{ id: 'who', url: realm.url, auth }] },
  });
  const answer = await answered(run(tenant, agent.id, scripted({ text: 'Nothing' })));
  expect(answer).toMatchObject({ success: true });
});

test.each([
  ['confidential', { id: 'known', secret: 'a secret of the client' }],
  ['public', { id: 'known-too' }],
])('a %s client that is registered already is used as it is', async (_kind, client) => {
  const tenant = await newTenant();
  const realm = await newRealm({ client });
  const secret = 'secret' in client && { clientSecret: client.secret };
  const { id } = await connected(tenant, realm, { clientId: client.id, ...secret });
  expect(await getConnection(tenant, id)).toMatchObject({ status: 'connected', clientId: client.id });
  expect((await realm.seen()).clients).toEqual([]);
  const refused = await tenant.call(...create({ url: realm.url }));
  expect([refused.status, refused.body.details[0].message]).toEqual([
    422,
    expect.stringContaining('registers no clients by itself'),
  ]);
  const orphan = await tenant.call(...create({ url: realm.url, clientSecret: 'without a client id' }));
  expect([orphan.status, orphan.body.details[0].path]).toEqual([400, 'clientId']);
});

test('where the service is reached by https, a document of its own identifies it', async () => {
  vi.stubEnv('PUBLIC_URL', 'https://service.example');
  allowHost(new URL(inject('oauthUrl')).host);
  const gateway = await ownGateway();
  onTestFinished(gateway.close);
  const document = await (await fetch(`${gateway.url}/v1/public/mcp-connections/client`)).json();
  const clientId = 'https://service.example/v1/public/mcp-connections/client';
  expect(document).toMatchObject({
    client_id: clientId,
    redirect_uris: ['https://service.example/v1/public/mcp-connections/callback'],
    token_endpoint_auth_method: 'none',
  });

  const realm = await newRealm({ metadata: { client_id_metadata_document_supported: true } });
  const headers = {
    authorization: `Bearer ${await gateway.issuer.sign()}`,
    'content-type': 'application/json',
  };
  const api = async (path: string, init: object = {}) =>
    (await (await fetch(gateway.url + path, { headers, ...init })).json()).data;
  const body = JSON.stringify({ url: realm.url });
  const created = await api('/v1/mcp-connections', { method: 'POST', body });
  expect(created.clientId).toBe(clientId);
  const here = (url: string) => url.replace('https://service.example', gateway.url);
  const { callback, cookie } = await toCallback(here(created.authorizeUrl));
  expect(cookie).toMatch(/^__Host-mcp-authorization=/);
  expect(locationHash(await browse(here(callback), cookie))).toBe('connected');
  expect(await api(`/v1/mcp-connections/${created.id}`)).toMatchObject({ status: 'connected' });
  expect((await realm.seen()).clients).toEqual([]);
});

test('the scopes of the request take the place of those that the server names', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const { id } = await connected(tenant, realm, { scopes: ['read', 'write'] });
  expect(await getConnection(tenant, id)).toMatchObject({
    scopes: ['read', 'write'],
    grantedScopes: ['read', 'write'],
  });
});

test('connections are listed, and a deleted one leaves nothing behind', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const [first, second] = [
    await connected(tenant, realm),
    await createConnection(tenant, { url: realm.url }),
  ];
  const list = async (query = '') => expectStatus(200, tenant.call('GET', `/v1/mcp-connections${query}`));
  const { data, pagination } = await list('?limit=1');
  expect(data.map(({ id }: { id: string }) => id)).toEqual([second.id]);
  const next = await list(`?limit=1&cursor=${pagination.nextCursor}`);
  expect(next.data).toEqual([await getConnection(tenant, first.id)]);

  const { id: toolId } = await createConnectedTool(tenant, first.id, realm.url);
  await expectStatus(200, tenant.call('DELETE', `/v1/mcp-connections/${first.id}`));
  await expectStatus(404, tenant.call('GET', `/v1/mcp-connections/${first.id}`));
  await expectStatus(404, tenant.call('DELETE', `/v1/mcp-connections/${first.id}`));
  await expectStatus(404, tenant.call('POST', `/v1/mcp-connections/${first.id}/authorize`, { body: {} }));
  expect(await execute(tenant, toolId)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`There is no MCP connection ${first.id}`),
  });
  const { data: events } = await expectStatus(200, tenant.call('GET', '/v1/audit-log'));
  const actions = events
    .filter(({ targetId }: { targetId: string }) => targetId === first.id)
    .map(({ action }: { action: string }) => action);
  expect(actions).toEqual(['mcp-connection.deleted', 'mcp-connection.connected', 'mcp-connection.created']);
});

test('no response and no item of the table shows a token, a client secret or a link', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const connection = await connected(tenant, realm);
  const { id } = await createConnectedTool(tenant, connection.id, realm.url);
  const responses = [
    await execute(tenant, id),
    ...(await Promise.all(
      ['/v1/mcp-connections', `/v1/mcp-connections/${connection.id}`, '/v1/audit-log', `/v1/tools/${id}`].map(
        (path) => expectStatus(200, tenant.call('GET', path)),
      ),
    )),
    await expectStatus(200, tenant.call('POST', `/v1/tools/${id}/test`, { body: { parameters: {} } })),
  ];
  const table = countingTable(tenant.tenant);
  const { mcpConnectionEntity } = await import('../../../shared/domain/mcp-connections/mcp-connection.ts');
  const item = await table.get(mcpConnectionEntity, { id: connection.id });
  expect(item?.sealedTokens).toEqual(expect.any(String));
  const token = new URL(connection.authorizeUrl).searchParams.get('token') ?? '';
  const shown = JSON.stringify([...responses, item]);
  expect(shown).not.toMatch(/(?:access|refresh-\d+|secret|code)-[0-9a-f]{8}-/);
  expect(shown).not.toContain(token);
});

test('test keys cannot create connections, and other tenants do not see them', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const { id } = await createConnection(tenant, { url: realm.url });
  const path = `/v1/mcp-connections/${id}`;
  const other = await newTenant();
  await expectStatus(404, other.call('GET', path));
  await expectStatus(404, other.call('DELETE', path));
  await expectStatus(404, other.call('POST', `${path}/authorize`, { body: {} }));
  const key = await newKey(tenant, { environment: 'test', permissions: ['SECRETS:READ', 'TOOLS:WRITE'] });
  await expectStatus(200, key.call('GET', path));
  await expectStatus(403, key.call(...create({ url: realm.url })));
  await expectStatus(403, key.call('DELETE', path));
});
