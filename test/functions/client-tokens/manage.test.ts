import { expect, test } from 'vitest';
import { clientTokenEntity, toStoredClientToken } from '../../../shared/domain/client-tokens/client-token.ts';
import { findByValue } from '../../../shared/domain/client-tokens/client-token-store.ts';
import { tenantLimits } from '../../../shared/domain/tenant-limits.ts';
import { credentialPartition } from '../../../shared/platform/auth/api-key.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { tenantPartition } from '../../../shared/platform/data/keys.ts';
import { answerBytesMax } from '../../../shared/platform/http/responses/body-sizes.ts';
import { createScriptedAgent } from '../../support/agents/agent-runs.ts';
import { createFlow, expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { createToken, tokenBody, tokenOfFlow, tokensPath } from '../../support/surfaces/client-tokens.ts';
import { createProduct, createSurface } from '../../support/surfaces/products.ts';

const missing = (kind: string) => `${kind}_${'0'.repeat(26)}`;
const scopeOf = (tenant: string) => countingRuntime().scopeOf(tenant);
const ownerOf = (value: string) => findByValue(scopeOf('').table, value);

const defaults = {
  defaultFlowId: null,
  agentIds: [],
  environment: 'live',
  pinToVersion: 'latest',
  config: {},
  rateLimitPerMinute: 10,
  rateLimitPerHour: 100,
  maxMessagesPerSession: 100,
  sessionIdleTimeoutMinutes: 30,
  isActive: true,
  lastUsedAt: null,
};

test('a token is created with its defaults, read, listed and deleted', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const { clientToken, token, warnings } = await createToken(tenant, { flowIds: [flow.id] });
  expect(token).toMatch(/^ct_live_[0-9A-Za-z]{49}$/);
  expect(warnings).toEqual([]);
  expect(clientToken).toEqual({
    id: expect.stringMatching(/^clienttoken_/),
    ...tokenBody,
    flowIds: [flow.id],
    ...defaults,
    tokenPrefix: token.slice(0, 12),
    tokenHint: token.slice(-4),
    tokenValue: token,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const path = `${tokensPath}/${clientToken.id}`;
  const get = async () => (await expectStatus(200, tenant.call('GET', path))).clientToken;
  expect(await get()).toEqual({ ...clientToken, conversationCount: 0 });
  const other = await createToken(tenant, { environment: 'test', name: 'Trial' });
  expect(other.token).toMatch(/^ct_test_/);
  const list = async () => (await expectStatus(200, tenant.call('GET', tokensPath))).clientTokens;
  expect(await list()).toEqual([other.clientToken, clientToken]);
  expect(await expectStatus(200, tenant.call('GET', `${path}/token`))).toEqual({ token });
  expect(await expectStatus(200, tenant.call('DELETE', path))).toEqual({
    success: true,
    message: expect.any(String),
  });
  expect(await list()).toEqual([other.clientToken]);
  for (const [method, action] of [
    ['GET', ''] as const,
    ['PUT', ''] as const,
    ['DELETE', ''] as const,
    ['GET', '/token'] as const,
    ['POST', '/regenerate'] as const,
    ['GET', '/conversations'] as const,
  ]) {
    const answer = tenant.call(method, path + action, method === 'PUT' ? { body: {} } : {});
    expect(await expectStatus(404, answer), method + action).toEqual(notFoundBody('Client token'));
  }
});

test('a value finds its tenant and its token, until it is regenerated or the token is deleted', async () => {
  const tenant = await newTenant();
  const { id, token: first, path } = await tokenOfFlow(tenant);
  expect(await ownerOf(first)).toEqual({ tenant: tenant.tenant, tokenId: id });
  const {
    clientToken,
    token: second,
    message,
  } = await expectStatus(200, tenant.call('POST', `${path}/regenerate`));
  expect(message).toContain('no longer works');
  expect(Object.keys(clientToken)).not.toEqual(expect.arrayContaining(['config']));
  expect(clientToken).toMatchObject({ id, name: 'Shop', tokenValue: second, tokenHint: second.slice(-4) });
  expect(await ownerOf(first)).toBeUndefined();
  expect(await ownerOf(second)).toEqual({ tenant: tenant.tenant, tokenId: id });
  expect((await expectStatus(200, tenant.call('GET', `${path}/token`))).token).toBe(second);
  await expectStatus(200, tenant.call('DELETE', path));
  expect(await ownerOf(second)).toBeUndefined();
  for (const value of ['', 'ct_live_x', `${second.slice(0, -1)}!`, 'tv_live_x']) {
    expect(await ownerOf(value)).toBeUndefined();
  }
});

test('of parallel regenerations, each leaves one value that works', async () => {
  const tenant = await newTenant();
  const { token, path } = await tokenOfFlow(tenant);
  const regenerate = () => tenant.call('POST', `${path}/regenerate`);
  const answers = await Promise.all(Array.from({ length: 6 }, regenerate));
  const values = answers.filter(({ status }) => status === 200).map(({ body }) => body.token as string);
  expect(values.length).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  const current = (await expectStatus(200, tenant.call('GET', `${path}/token`))).token;
  const working = [];
  for (const value of [token, ...values]) if (await ownerOf(value)) working.push(value);
  expect(working).toEqual([current]);
});

test('a config may hold any text, and only the token’s item holds it', async () => {
  const tenant = await newTenant();
  const config = { welcomeMessage: 'half of a pair: \ud800', list: [1, null, { a: '' }] };
  const { token, path } = await tokenOfFlow(tenant, { config });
  expect((await expectStatus(200, tenant.call('GET', path))).clientToken.config).toEqual(config);
  const { table } = scopeOf(tenant.tenant);
  const [credential] = await table.queryAll({ partition: credentialPartition(hashKey(token)) });
  const own = ['hash', 'tokenId', 'userId', 'organizationId', 'PK', 'SK', '_type'];
  expect(Object.keys(credential ?? {}).toSorted()).toEqual(own.toSorted());
});

test('no endpoint accepts a client token as a credential', async () => {
  const { token } = await tokenOfFlow(await newTenant());
  const call = callerWith(token);
  for (const path of ['/v1/flows', tokensPath, '/v1/conversations'])
    await expectStatus(401, call('GET', path));
});

test.each<[string, object, object?]>([
  ['the name', { name: 'Other' }],
  ['the origins', { allowedOrigins: ['*.example.com', 'localhost:3000'] }],
  ['the config', { config: { welcomeMessage: 'Hi', theme: { mode: 'dark' } } }],
  ['no config', { config: null }, { config: {} }],
  ['the limit per minute', { rateLimitPerMinute: 1_000 }],
  ['the limit per minute to its default', { rateLimitPerMinute: null }, { rateLimitPerMinute: 10 }],
  ['the limit per hour', { rateLimitPerHour: 10_000 }],
  ['the limit per hour to its default', { rateLimitPerHour: null }, { rateLimitPerHour: 100 }],
  ['the messages of a session', { maxMessagesPerSession: 1 }],
  [
    'the messages of a session to its default',
    { maxMessagesPerSession: null },
    { maxMessagesPerSession: 100 },
  ],
  ['the idle time', { sessionIdleTimeoutMinutes: 1_440 }],
  ['the idle time to its default', { sessionIdleTimeoutMinutes: null }, { sessionIdleTimeoutMinutes: 30 }],
  ['whether it is active', { isActive: false }],
  ['the version to its default', { pinToVersion: null }, { pinToVersion: 'latest' }],
  ['no agents', { agentIds: [] }],
  ['nothing', {}, {}],
])('a change of %s leaves the rest', async (_what, changes, expected = changes) => {
  const tenant = await newTenant();
  const given = { config: { a: 1 }, rateLimitPerMinute: 5, rateLimitPerHour: 6, maxMessagesPerSession: 7 };
  const { flow, path } = await tokenOfFlow(tenant, { ...given, sessionIdleTimeoutMinutes: 8 });
  await expectStatus(200, tenant.call('PUT', path, { body: { defaultFlowId: flow.id } }));
  const { clientToken: before } = await expectStatus(200, tenant.call('GET', path));
  const { clientToken } = await expectStatus(200, tenant.call('PUT', path, { body: changes }));
  const { conversationCount: _count, ...rest } = before;
  expect(clientToken).toEqual({ ...rest, ...expected, updatedAt: expect.any(String) });
  expect((await expectStatus(200, tenant.call('GET', path))).clientToken).toMatchObject(clientToken);
});

test('flows, agents, the default flow and the pinned version are changed and checked together', async () => {
  const tenant = await newTenant();
  const { flow, path } = await tokenOfFlow(tenant);
  const other = await publishedFlow(tenant);
  const { id: agentId } = await createScriptedAgent(tenant);
  const { publishedVersionId: version } = await expectStatus(
    200,
    tenant.call('GET', `/v1/flow-versions/${other.id}`),
  );
  const { publishedVersionId: agentVersion } = await expectStatus(
    200,
    tenant.call('POST', `/v1/agents/${agentId}/publish`),
  );
  const put = (body: object) => tenant.call('PUT', path, { body });
  const refused = async (body: object, at: string) => {
    const { details } = await expectStatus(400, put(body));
    expect(details).toMatchObject([{ path: at, code: 'INVALID_VALUE' }]);
  };
  await refused({ defaultFlowId: other.id }, 'defaultFlowId');
  await refused({ pinToVersion: version }, 'pinToVersion');
  const both = { flowIds: [flow.id, other.id], defaultFlowId: other.id, pinToVersion: version };
  expect((await expectStatus(200, put(both))).clientToken).toMatchObject(both);
  // What stays must fit what changes.
  await refused({ flowIds: [flow.id] }, 'defaultFlowId');
  await refused({ flowIds: [flow.id], defaultFlowId: null }, 'pinToVersion');
  const cleared = { flowIds: [flow.id], defaultFlowId: null, pinToVersion: 'latest' };
  expect((await expectStatus(200, put(cleared))).clientToken).toMatchObject(cleared);
  await refused({ pinToVersion: agentVersion }, 'pinToVersion');
  const pinned = { agentIds: [agentId], pinToVersion: agentVersion };
  expect((await expectStatus(200, put(pinned))).clientToken).toMatchObject(pinned);
  await refused({ agentIds: [] }, 'pinToVersion');
  await refused({ pinToVersion: missing('flowver') }, 'pinToVersion');
});

test('the draft of a flow cannot be pinned', async () => {
  const tenant = await newTenant();
  const { flow, path } = await tokenOfFlow(tenant);
  const { versions } = await expectStatus(200, tenant.call('GET', `/v1/flow-versions/${flow.id}`));
  const body = { pinToVersion: versions[0].id };
  const { details } = await expectStatus(400, tenant.call('PUT', path, { body }));
  expect(details).toMatchObject([{ path: 'pinToVersion' }]);
});

const wrong: [object, string, string][] = [
  [{ name: ' ' }, 'name', 'INVALID_FORMAT'],
  [{ name: 'x'.repeat(256) }, 'name', 'TOO_BIG'],
  [{ allowedOrigins: [] }, 'allowedOrigins', 'TOO_SMALL'],
  [{ allowedOrigins: ['example.com', 'example.com/chat'] }, 'allowedOrigins.1', 'INVALID_FORMAT'],
  [{ allowedOrigins: [1] }, 'allowedOrigins.0', 'INVALID_TYPE'],
  [{ allowedOrigins: Array(101).fill('a.example') }, 'allowedOrigins', 'TOO_BIG'],
  [{ flowIds: ['record_1'] }, 'flowIds.0', 'INVALID_FORMAT'],
  [{ agentIds: ['x'] }, 'agentIds.0', 'INVALID_FORMAT'],
  [{ defaultFlowId: missing('flow') }, 'defaultFlowId', 'INVALID_VALUE'],
  [{ rateLimitPerMinute: 0 }, 'rateLimitPerMinute', 'TOO_SMALL'],
  [{ rateLimitPerMinute: 1.5 }, 'rateLimitPerMinute', 'INVALID_TYPE'],
  [{ rateLimitPerHour: 10_001 }, 'rateLimitPerHour', 'TOO_BIG'],
  [{ maxMessagesPerSession: 1_001 }, 'maxMessagesPerSession', 'TOO_BIG'],
  [{ sessionIdleTimeoutMinutes: 1_441 }, 'sessionIdleTimeoutMinutes', 'TOO_BIG'],
  [{ pinToVersion: missing('flowver') }, 'pinToVersion', 'INVALID_VALUE'],
  [{ config: { welcomeMessage: 'x'.repeat(12_000) } }, 'config', 'TOO_LARGE'],
  [{ pinToVersion: 'newest' }, 'pinToVersion', 'INVALID_VALUE'],
  [{ config: [] }, 'config', 'INVALID_TYPE'],
  [{ name: '\ud800' }, 'name', 'INVALID_VALUE'],
  [{ colour: 'red' }, 'colour', 'UNKNOWN_MEMBER'],
];

test.each(wrong)('400 for %j', async (body, path, code) => {
  const tenant = await newTenant();
  const { details } = await expectStatus(
    400,
    tenant.call('POST', tokensPath, { body: { ...tokenBody, ...body } }),
  );
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
  expect((await expectStatus(200, tenant.call('GET', tokensPath))).clientTokens).toEqual([]);
  const { path: at } = await tokenOfFlow(tenant);
  const { details: ofChange } = await expectStatus(400, tenant.call('PUT', at, { body }));
  expect(ofChange).toContainEqual(expect.objectContaining({ path, code }));
});

test.each<[object, string, string]>([
  [{ environment: 'test' }, 'environment', 'UNKNOWN_MEMBER'],
  [{ productSurfaceId: missing('surface') }, 'productSurfaceId', 'UNKNOWN_MEMBER'],
  [{ flowIds: [] }, 'flowIds', 'TOO_SMALL'],
  [{ name: null }, 'name', 'INVALID_TYPE'],
  [{ isActive: null }, 'isActive', 'INVALID_TYPE'],
])('400 for the change %j', async (body, path, code) => {
  const tenant = await newTenant();
  const token = await tokenOfFlow(tenant);
  const { details } = await expectStatus(400, tenant.call('PUT', token.path, { body }));
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
});

test('404 names each flow, agent and surface that does not exist', async () => {
  const tenant = await newTenant();
  const { flow, path } = await tokenOfFlow(tenant);
  const stranger = await createFlow(await newTenant());
  const flows = { flowIds: [flow.id, stranger.id] };
  for (const answer of [
    tenant.call('POST', tokensPath, { body: { ...tokenBody, ...flows } }),
    tenant.call('PUT', path, { body: flows }),
  ]) {
    expect(await expectStatus(404, answer)).toMatchObject({
      error: 'Flow not found',
      details: [{ path: 'flowIds.1', code: 'NOT_FOUND' }],
    });
  }
  const agents = { ...tokenBody, agentIds: [missing('agent')] };
  expect(await expectStatus(404, tenant.call('POST', tokensPath, { body: agents }))).toMatchObject({
    details: [{ path: 'agentIds.0', code: 'NOT_FOUND' }],
  });
  const surfaces = { ...tokenBody, productSurfaceId: missing('surface') };
  expect(await expectStatus(404, tenant.call('POST', tokensPath, { body: surfaces }))).toEqual(
    notFoundBody('Surface'),
  );
});

test('warnings name what is likely a mistake', async () => {
  const tenant = await newTenant();
  const typesOf = async (changes: object) =>
    (await createToken(tenant, changes)).warnings.map(({ type }: { type: string }) => type);
  const flow = await createFlow(tenant);
  const flowIds = [flow.id];
  expect(await typesOf({ flowIds })).toEqual([]);
  expect(await typesOf({})).toEqual(['NOTHING_TO_RUN']);
  expect(await typesOf({ flowIds, allowedOrigins: ['example.com', '*'] })).toEqual(['WILDCARD_ORIGIN']);
  expect(await typesOf({ flowIds, allowedOrigins: ['*.com'] })).toEqual(['WILDCARD_ORIGIN']);
  expect(await typesOf({ flowIds, allowedOrigins: ['http://localhost:3000'] })).toEqual(['LOCAL_ORIGIN']);
  const test = { flowIds, allowedOrigins: ['localhost', '127.0.0.1'], environment: 'test' };
  expect(await typesOf(test)).toEqual([]);
  const { path } = await tokenOfFlow(tenant);
  const changes = { isActive: false, allowedOrigins: ['*'] };
  const { warnings } = await expectStatus(200, tenant.call('PUT', path, { body: changes }));
  expect(warnings).toEqual([
    { type: 'WILDCARD_ORIGIN', message: expect.stringContaining('*') },
    { type: 'INACTIVE', message: expect.any(String) },
  ]);
});

test('a deleted flow stays named, and does not prevent changes', async () => {
  const tenant = await newTenant();
  const { flow, path } = await tokenOfFlow(tenant);
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  const { clientToken } = await expectStatus(200, tenant.call('PUT', path, { body: { name: 'Other' } }));
  expect(clientToken.flowIds).toEqual([flow.id]);
});

test('the token of a chat surface is removed with the surface; other surfaces have none', async () => {
  const tenant = await newTenant();
  const { id: productId } = await createProduct(tenant);
  const chat = await createSurface(tenant, productId, { type: 'chat' });
  const api = await createSurface(tenant, productId);
  const body = { ...tokenBody, productSurfaceId: api.id };
  const { details } = await expectStatus(400, tenant.call('POST', tokensPath, { body }));
  expect(details).toMatchObject([{ path: 'productSurfaceId', code: 'INVALID_VALUE' }]);
  const { clientToken, token, warnings } = await createToken(tenant, { productSurfaceId: chat.id });
  expect(warnings).toEqual([]);
  const { clientToken: other } = await createToken(tenant);
  const list = async () => (await expectStatus(200, tenant.call('GET', tokensPath))).clientTokens;
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([other.id, clientToken.id]);
  await expectStatus(200, tenant.call('DELETE', `/v1/products/${productId}/surfaces/${chat.id}`));
  await eventually(async () => expect(await list()).toHaveLength(1));
  expect((await list())[0].id).toBe(other.id);
  expect(await ownerOf(token)).toBeUndefined();
});

test('a tenant has at most 200 tokens, which fit a response however large they are', async () => {
  const tenant = await newTenant();
  const { table } = scopeOf(tenant.tenant);
  // What takes most room in a response.
  const largest = { name: '\u0001'.repeat(255), config: { a: '"'.repeat(5_900) } };
  const { id, path } = await tokenOfFlow(tenant, largest);
  const token = await table.get(clientTokenEntity, { id });
  if (!token) throw new Error('The token is missing');
  const copies = Array.from({ length: tenantLimits['client tokens'] - 1 }, (_, n) =>
    table.writes.put(clientTokenEntity, toStoredClientToken({ ...token, id: `clienttoken_copy${n}` })),
  );
  for (let first = 0; first < copies.length; first += 100)
    await table.commit(copies.slice(first, first + 100));
  const { clientTokens } = await expectStatus(200, tenant.call('GET', tokensPath));
  expect(clientTokens).toHaveLength(200);
  const answer = JSON.stringify({ body: JSON.stringify({ clientTokens }) });
  expect(Buffer.byteLength(answer)).toBeLessThan(answerBytesMax);
  const create = () => tenant.call('POST', tokensPath, { body: tokenBody });
  expect((await expectStatus(409, create())).details).toMatchObject([
    { code: 'LIMIT_REACHED', message: expect.stringContaining('200 client tokens') },
  ]);
  await expectStatus(200, tenant.call('DELETE', path));
  await expectStatus(201, create());
});

const as = async (tenant: Tenant, permissions: string[], environment = 'production') =>
  (await newKey(tenant, { permissions, environment })).call;

test('who changes a token must be able to run what it runs', async () => {
  const tenant = await newTenant();
  const { flow, path } = await tokenOfFlow(tenant);
  const writer = await as(tenant, ['CLIENT_TOKENS:*']);
  const { id: productId } = await createProduct(tenant);
  const chat = await createSurface(tenant, productId, { type: 'chat' });
  const { id: agentId } = await createScriptedAgent(tenant);
  for (const [permission, body] of [
    ['FLOWS:EXECUTE', { flowIds: [flow.id] }],
    ['AGENTS:EXECUTE', { agentIds: [agentId] }],
    ['PRODUCTS:EXECUTE', { productSurfaceId: chat.id }],
  ] as const) {
    const create = (call: Tenant['call']) => call('POST', tokensPath, { body: { ...tokenBody, ...body } });
    const { details } = await expectStatus(403, create(writer));
    expect(details).toBe(`Missing required permission: ${permission}`);
    await expectStatus(201, create(await as(tenant, ['CLIENT_TOKENS:WRITE', permission])));
  }
  await expectStatus(403, writer('PUT', path, { body: { allowedOrigins: ['evil.example'] } }));
  await expectStatus(403, writer('POST', `${path}/regenerate`));
  expect((await expectStatus(200, writer('GET', path))).clientToken.allowedOrigins).toEqual(['example.com']);
  await expectStatus(200, writer('DELETE', path));
});

test('a test API key creates and changes test tokens only', async () => {
  const tenant = await newTenant();
  const { path } = await tokenOfFlow(tenant);
  const tester = await as(tenant, ['CLIENT_TOKENS:*', 'FLOWS:*'], 'test');
  const create = (environment: string) => tester('POST', tokensPath, { body: { ...tokenBody, environment } });
  for (const answer of [
    create('live'),
    tester('PUT', path, { body: { name: 'x' } }),
    tester('POST', `${path}/regenerate`),
  ]) {
    expect((await expectStatus(403, answer)).code).toBe('TEST_KEY_PERMISSION_DENIED');
  }
  await expectStatus(201, create('test'));
});

test('each change is in the audit log', async () => {
  const tenant = await newTenant();
  const { path, id } = await tokenOfFlow(tenant);
  const body = { name: 'Other', config: { a: '\ud800' } };
  await expectStatus(200, tenant.call('PUT', path, { body }));
  await expectStatus(200, tenant.call('POST', `${path}/regenerate`));
  await expectStatus(200, tenant.call('DELETE', path));
  const months = [Date.now() - 3_600_000, Date.now()].map((at) => new Date(at).toISOString().slice(0, 7));
  const { table } = scopeOf(tenant.tenant);
  const pages = [...new Set(months)].map((month) =>
    table.queryAll({ partition: tenantPartition(`AUDIT#${month}`) }),
  );
  const items = (await Promise.all(pages)).flat().filter(({ targetId }) => targetId === id);
  expect(items.map(({ action }) => action)).toEqual(
    ['created', 'updated', 'regenerated', 'deleted'].map((what) => `client-token.${what}`),
  );
  expect(items[1]?.details).toEqual({ name: 'Other', config: '{"a":"\\ud800"}' });
});
