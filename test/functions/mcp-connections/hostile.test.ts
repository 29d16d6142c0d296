import { expect, test } from 'vitest';
import { isOfResource } from '../../../shared/domain/mcp-connections/mcp-connection.ts';
import { createTool } from '../../support/files/tools.ts';
import { loopback } from '../../support/servers/loopback.ts';
import {
  authorize,
  browse,
  connected,
  createConnection,
  execute,
  getConnection,
  newRealm,
  toCallback,
} from '../../support/servers/oauth.ts';
import type { RealmOptions } from '../../support/servers/oauth-server.ts';
import { newTenant } from '../../support/stack/stack.ts';

/** What a request for a connection to such a server is answered. */
async function refusalOf(options: RealmOptions) {
  const tenant = await newTenant();
  const realm = await newRealm(options);
  const { status, body } = await tenant.call('POST', '/v1/mcp-connections', { body: { url: realm.url } });
  return { realm, told: [status, body.details?.[0].message] };
}

test.each([
  ['an endpoint at a private address', { token_endpoint: 'https://10.0.0.1/token' }, 'not a public address'],
  ['an endpoint at the metadata service', { token_endpoint: 'https://169.254.169.254/' }, 'not a public'],
  ['an endpoint without https', { token_endpoint: 'http://example.com/token' }, 'OAuth needs https'],
  ['a page without https', { authorization_endpoint: 'http://example.com/' }, 'OAuth needs https'],
  ['a page at a private address', { authorization_endpoint: 'https://192.168.0.1/' }, 'not a public address'],
  ['a page that is a script', { authorization_endpoint: 'javascript:alert(1)' }, 'does not follow OAuth'],
  ['a page with a password', { authorization_endpoint: 'https://a:b@example.com/' }, 'user name or password'],
  ['a registration at a private address', { registration_endpoint: 'https://127.0.0.1/' }, 'not a public'],
  ['a registration at a blocked port', { registration_endpoint: 'https://example.com:25/' }, 'Port 25'],
  ['no PKCE', { code_challenge_methods_supported: null }, 'does not support PKCE with S256'],
  ['plain PKCE only', { code_challenge_methods_supported: ['plain'] }, 'does not support PKCE with S256'],
  ['another issuer', { issuer: 'https://other.example' }, 'names another issuer'],
  ['no code', { response_types_supported: ['token'] }, 'does not follow OAuth'],
  ['a very long address', { token_endpoint: `https://example.com/${'x'.repeat(3_000)}` }, 'more than 2000'],
])('a server with %s is refused, and nothing is registered', async (_what, metadata, words) => {
  const { realm, told } = await refusalOf({ metadata });
  expect(told).toEqual([422, expect.stringContaining(words)]);
  // Where the authorization begins, the client is registered already.
  const registered = 'response_types_supported' in metadata ? 1 : 0;
  expect((await realm.seen()).clients).toHaveLength(registered);
});

test.each([
  [
    'names a private authorization server',
    { resource: { authorization_servers: ['https://10.0.0.1'] } },
    422,
  ],
  ['names one without https', { resource: { authorization_servers: ['http://example.com'] } }, 422],
  ['redirects to the metadata service', { redirectTo: 'http://169.254.169.254/latest/meta-data' }, 422],
  ['is for another resource', { resource: { resource: 'https://other.example/mcp' } }, 422],
  ['is huge', { padding: 300_000 }, 422],
])('metadata of a resource that %s is refused', async (_what, options, status) => {
  const { realm, told } = await refusalOf(options);
  expect(told).toEqual([status, expect.any(String)]);
  expect((await realm.seen()).clients).toEqual([]);
});

test('a server that names private metadata in its challenge is refused', async () => {
  const named: unknown[] = [];
  const inside = await loopback((request, response) => {
    named.push(request.url);
    response.end('{}');
  });
  const { told } = await refusalOf({ challengeTo: `${inside.url}/secret` });
  expect(told).toEqual([422, expect.stringContaining('not a public address')]);
  expect(named).toEqual([]);
});

test.each([
  ['http://example.com/mcp', 422, 'OAuth needs https'],
  ['https://127.0.0.1:8443/mcp', 422, 'not a public address'],
  ['https://user:password@example.com/mcp', 400, 'without a user name'],
  ['ftp://example.com/mcp', 400, 'Expected an address'],
])('the address %s is refused', async (url, status, words) => {
  const tenant = await newTenant();
  const answer = await tenant.call('POST', '/v1/mcp-connections', { body: { url } });
  expect([answer.status, answer.body.details[0].message]).toEqual([status, expect.stringContaining(words)]);
});

test('a server that does not answer is a 502', async () => {
  const { told } = await refusalOf({ metadata: { registration_endpoint: 'https://name.invalid/register' } });
  expect(told).toEqual([502, expect.stringContaining('https://name.invalid/register')]);
});

test('metadata is found without a challenge, and the authorization server may be another one', async () => {
  const tenant = await newTenant();
  const [realm, other] = [await newRealm({ challenges: false }), await newRealm()];
  const options = { challenges: false, resource: { authorization_servers: [`${other.base}/as`] } };
  await realm.control({ options });
  const connection = await createConnection(tenant, { url: realm.url });
  const { authorizationUrl } = await toCallback(connection.authorizeUrl);
  expect(authorizationUrl).toContain(`${other.base}/as/authorize`);
  const { searchParams } = new URL(authorizationUrl);
  expect(searchParams.get('resource')).toBe(realm.url);
  expect(searchParams.get('code_challenge_method')).toBe('S256');
});

test.each([
  ['of another type', { tokenType: 'DPoP' }, 'of a type other than Bearer'],
  ['that no header can contain', { token: 'a token\r\nx-evil: 1' }, 'a token that cannot be used'],
  ['that ordinary text contains', { token: 'the' }, 'a token that cannot be used'],
])('a token %s is refused', async (_what, options, words) => {
  const tenant = await newTenant();
  const realm = await newRealm(options);
  const connection = await createConnection(tenant, { url: realm.url });
  expect(await authorize(connection.authorizeUrl)).toBe('failed');
  expect(await getConnection(tenant, connection.id)).toMatchObject({ error: expect.stringContaining(words) });
});

test('a token is sent to its resource only, whatever the arguments of a tool are', async () => {
  const tenant = await newTenant();
  const [realm, other] = [await newRealm(), await newRealm()];
  const { id: connectionId } = await connected(tenant, realm);
  const parametersSchema = { type: 'object', properties: { url: { type: 'string' } } };
  const config = { url: '{{ url }}', toolName: 'whoami', auth: { type: 'oauth', connectionId } };
  const { id } = await createTool(tenant, { toolType: 'mcp', name: 'Any', parametersSchema, config });
  for (const url of [other.url, realm.url.replace('http://', 'https://'), `${realm.base}/mcp/../as`]) {
    const body = { parameters: { url } };
    const ran = await tenant.call('POST', `/v1/tools/${id}/execute`, { body });
    expect(ran.body.error).toContain('its token is not sent to this URL');
  }
  const { seen } = await other.seen();
  expect(seen.filter(({ authorization }) => authorization !== '')).toEqual([]);
  const own = await tenant.call('POST', `/v1/tools/${id}/execute`, {
    body: { parameters: { url: realm.url } },
  });
  expect(own.body.status).toBe('success');
});

test('a redirect of the server to another origin does not get the token', async () => {
  const tenant = await newTenant();
  const got: unknown[] = [];
  const elsewhere = await loopback((request, response) => {
    got.push(request.headers.authorization);
    response.end('{}');
  });
  const realm = await newRealm();
  const { id: connectionId } = await connected(tenant, realm);
  await realm.control({ options: { mcpRedirectTo: elsewhere.url } });
  for (const transport of ['streamable_http', 'rest'] as const) {
    const config = { url: realm.url, toolName: 'whoami', auth: { type: 'oauth', connectionId } };
    const { id } = await createTool(tenant, { toolType: 'mcp', name: `Who ${transport}`, config });
    expect(await execute(tenant, id)).toMatchObject({ status: 'failed' });
  }
  expect(got.filter(Boolean)).toEqual([]);
});

test.each([
  ['https://a.example/mcp', true],
  ['https://a.example/mcp/', true],
  ['https://a.example/mcp/sub?x=1', true],
  ['https://a.example/mcpx', false],
  ['https://a.example/', false],
  ['https://a.example/mcp/../other', false],
  ['https://a.example/mcp/%2e%2e/other', false],
  ['https://a.example:444/mcp', false],
  ['http://a.example/mcp', false],
  ['https://a.example.evil/mcp', false],
  ['https://evil@a.example.evil/mcp', false],
  ['no url', false],
])('whether %s is of the resource https://a.example/mcp: %s', (url, expected) => {
  expect(isOfResource(url, 'https://a.example/mcp')).toBe(expected);
});

test('opening a link sends nothing to the servers', async () => {
  const tenant = await newTenant();
  const realm = await newRealm();
  const connection = await createConnection(tenant, { url: realm.url });
  const before = (await realm.seen()).seen.length;
  await browse(connection.authorizeUrl);
  expect((await realm.seen()).seen).toHaveLength(before);
});
