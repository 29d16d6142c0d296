import { expect, test } from 'vitest';
import { clientSessionEntity } from '../../../shared/domain/client-sessions/client-session.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { createScriptedAgent } from '../../support/agents/agent-runs.ts';
import { createFlow, expectStatus } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant, stack } from '../../support/stack/stack.ts';
import { chatWorld, fromPage, openSession, shop } from '../../support/surfaces/chat.ts';
import { createToken } from '../../support/surfaces/client-tokens.ts';
import { addCapability, addItem, createProduct, createSurface } from '../../support/surfaces/products.ts';

const unknown = {
  error: 'Unauthorized',
  details: 'The client token is unknown, or was regenerated or deleted',
};
const notHere = { error: 'Forbidden', details: 'The client token is not active on this page' };
const table = (tenant: string) => countingRuntime().scopeOf(tenant).table;

test('opens a session of the first flow, with what the widget shows and nothing else of the token', async () => {
  const theme = { mode: 'dark', primaryColor: '#123456' };
  const config = { placeholder: 'Ask', welcomeMessage: 'Hi', theme, internal: 'secret' };
  const { flow, token } = await chatWorld(undefined, { config, sessionIdleTimeoutMinutes: 60 });
  const { sessionId, expiresAt, ...rest } = await expectStatus(200, openSession(token));
  expect(sessionId).toMatch(/^cs_[0-9A-Za-z]{49}$/);
  expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(59 * 60_000);
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThan(61 * 60_000);
  expect(rest).toEqual({
    flow: { id: flow.id, name: 'A flow', description: null },
    config: { placeholder: 'Ask', welcomeMessage: 'Hi', theme },
    conversation: null,
    executionId: null,
  });
});

test('members of the config that the widget cannot show are left out', async () => {
  const { token } = await chatWorld(undefined, { config: { placeholder: 3, welcomeMessage: null } });
  expect((await expectStatus(200, openSession(token))).config).toEqual({ welcomeMessage: null });
});

test.each([null, 'dark', 3, true, ['dark']])('a theme that is no object is left out: %j', async (theme) => {
  const { token } = await chatWorld(undefined, { config: { placeholder: 'Ask', theme } });
  expect((await expectStatus(200, openSession(token))).config).toEqual({ placeholder: 'Ask' });
});

test('the table has only the hash of a session id, and the expiry of the item', async () => {
  const { tenant, token } = await chatWorld();
  const { sessionId, expiresAt } = await expectStatus(200, openSession(token));
  const item = await table(tenant.tenant).get(clientSessionEntity, { hash: hashKey(sessionId) });
  expect(JSON.stringify(item)).not.toContain(sessionId);
  expect(item).toMatchObject({ expiresAt, ttl: Math.floor(Date.parse(expiresAt) / 1_000) });
});

test('a session of the same page is continued and extended', async () => {
  const { tenant, token } = await chatWorld();
  const { sessionId, expiresAt } = await expectStatus(200, openSession(token));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const again = await expectStatus(200, openSession(token, { sessionId }));
  expect(again.sessionId).toBe(sessionId);
  expect(Date.parse(again.expiresAt)).toBeGreaterThan(Date.parse(expiresAt));
  const item = await table(tenant.tenant).get(clientSessionEntity, { hash: hashKey(sessionId) });
  expect(item?.expiresAt).toBe(again.expiresAt);
});

test('any other session id opens a new session: of another token, tenant or origin, ended, or invented', async () => {
  const given = { allowedOrigins: ['shop.example.com', 'www.example.com'] };
  const { tenant, flow, token } = await chatWorld(undefined, given);
  const other = await createToken(tenant, { flowIds: [flow.id], allowedOrigins: ['shop.example.com'] });
  const stranger = await chatWorld();
  const { sessionId: ended } = await expectStatus(200, openSession(token));
  const past = { set: { expiresAt: '2020-01-01T00:00:00.000Z' } };
  const { commit, writes } = table(tenant.tenant);
  await commit([writes.update(clientSessionEntity, { hash: hashKey(ended) }, past)]);
  const foreign = [
    (await expectStatus(200, openSession(other.token))).sessionId,
    (await expectStatus(200, openSession(stranger.token))).sessionId,
    (await expectStatus(200, openSession(token, {}, 'https://www.example.com'))).sessionId,
    ended,
    'invented',
    `cs_${'a'.repeat(49)}`,
  ];
  for (const sessionId of foreign) {
    const { sessionId: opened } = await expectStatus(200, openSession(token, { sessionId }));
    expect(opened).not.toBe(sessionId);
  }
});

test('regenerating the token ends its value and its sessions', async () => {
  const { tenant, token, path } = await chatWorld();
  const { sessionId } = await expectStatus(200, openSession(token));
  const { token: renewed } = await expectStatus(200, tenant.call('POST', `${path}/regenerate`));
  expect(await expectStatus(401, openSession(token))).toEqual(unknown);
  expect((await expectStatus(200, openSession(renewed, { sessionId }))).sessionId).not.toBe(sessionId);
});

test('401 for an unknown, a mistyped and a deleted token, from every origin', async () => {
  const { tenant, token, path } = await chatWorld();
  await expectStatus(200, tenant.call('DELETE', path));
  for (const value of [token, `${token.slice(0, -1)}!`, 'ct_live_x', tenant.token.slice(0, 200)]) {
    expect(await expectStatus(401, openSession(value))).toEqual(unknown);
    expect(await expectStatus(401, openSession(value, {}, 'https://evil.example'))).toEqual(unknown);
  }
});

test('403 for a foreign origin and for an inactive token, in the same words', async () => {
  const { tenant, token, path } = await chatWorld();
  const foreign = [
    'https://evil.example',
    'https://shop.example.com.evil.example',
    'https://example.com',
    'null',
    'https://notshop.example.com',
    'https://shop.example.com@evil.example',
    'shop.example.com',
    null,
    'https://shop.example.com/',
    'https://shop.example.com/path',
    'https://a.shop.example.com',
  ];
  for (const origin of foreign) {
    expect(await expectStatus(403, openSession(token, {}, origin)), `${origin}`).toEqual(notHere);
  }
  await expectStatus(200, tenant.call('PUT', path, { body: { isActive: false } }));
  expect(await expectStatus(403, openSession(token))).toEqual(notHere);
});

test('flowId selects a flow or an agent of the token; 404 for all others, in the same words', async () => {
  const { tenant, flow, clientToken, path } = await chatWorld();
  const second = await createFlow(tenant, undefined, 'Second');
  const unnamed = await createFlow(tenant, undefined, 'Unnamed');
  const agent = await createScriptedAgent(tenant);
  const changes = { flowIds: [flow.id, second.id], agentIds: [agent.id], defaultFlowId: second.id };
  await expectStatus(200, tenant.call('PUT', path, { body: changes }));
  const { token } = await expectStatus(200, tenant.call('GET', `${path}/token`));
  const flowOf = async (more?: object) => (await expectStatus(200, openSession(token, more))).flow.id;
  expect(clientToken.defaultFlowId).toBeNull();
  expect(await flowOf()).toBe(second.id);
  expect(await flowOf({ flowId: flow.id })).toBe(flow.id);
  expect(await flowOf({ flowId: agent.id })).toBe(agent.id);
  const stranger = await createFlow(await newTenant());
  for (const flowId of [unnamed.id, stranger.id, 'flow_x', '__proto__']) {
    const body = await expectStatus(404, openSession(token, { flowId }));
    expect(body.error).toBe('Flow not found');
  }
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${second.id}`));
  expect((await expectStatus(404, openSession(token))).error).toBe('Flow not found');
});

test('a session of a flow is not continued for another one', async () => {
  const { tenant, flow, token, path } = await chatWorld();
  const second = await createFlow(tenant, undefined, 'Second');
  await expectStatus(200, tenant.call('PUT', path, { body: { flowIds: [flow.id, second.id] } }));
  const { sessionId } = await expectStatus(200, openSession(token, { flowId: second.id }));
  const same = await expectStatus(200, openSession(token, { sessionId }));
  expect([same.sessionId, same.flow.id]).toEqual([sessionId, second.id]);
  const first = await expectStatus(200, openSession(token, { sessionId, flowId: flow.id }));
  expect([first.sessionId === sessionId, first.flow.id]).toEqual([false, flow.id]);
  await expectStatus(200, tenant.call('PUT', path, { body: { flowIds: [flow.id] } }));
  const other = await expectStatus(200, openSession(token, { sessionId }));
  expect([other.sessionId === sessionId, other.flow.id]).toEqual([false, flow.id]);
});

test('a token of a chat surface talks to its entry point, while the surface is open', async () => {
  const tenant = await newTenant();
  const flows = [await createFlow(tenant), await createFlow(tenant, undefined, 'Entry')] as const;
  const { id: productId } = await createProduct(tenant);
  const surface = await createSurface(tenant, productId, { type: 'chat', status: 'active' });
  for (const [index, { id: flowId }] of flows.entries()) {
    const given = { capabilityName: `C${index}`, flowId };
    const capability = await expectStatus(201, addCapability(tenant, productId, given));
    const item = { capabilityId: capability.id, isEntryPoint: index === 1 };
    await expectStatus(201, addItem(tenant, surface, item));
  }
  const { token } = await createToken(tenant, {
    allowedOrigins: ['shop.example.com'],
    productSurfaceId: surface.id,
  });
  expect((await expectStatus(200, openSession(token))).flow.name).toBe('Entry');
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  for (const status of ['paused', 'draft']) {
    await expectStatus(200, tenant.call('PUT', path, { body: { status } }));
    expect((await expectStatus(403, openSession(token))).details).toBe('The chat is closed at the moment');
  }
});

test('400 names what is wrong with a body; members that the service does not know are ignored', async () => {
  const { token } = await chatWorld();
  const bodies = [{}, { token: 3 }, { token: '' }, { token: 'x'.repeat(300) }, [], '{', 'null'];
  for (const body of bodies) expect((await fromPage('init', body)).status).toBe(400);
  expect((await expectStatus(400, openSession(token, { flowId: 3 }))).details[0].path).toBe('flowId');
  expect((await expectStatus(400, openSession(token, { sessionId: {} }))).details[0].path).toBe('sessionId');
  await expectStatus(200, openSession(token, { identityProof: { provider: 'x', token: 'y' } }));
});

test('every response names the origin of the page, and no credentials', async () => {
  const { token } = await chatWorld();
  const evil = 'https://evil.example';
  const answers = [
    [shop, await openSession(token)],
    [evil, await openSession(token, {}, evil)],
    [evil, await openSession('ct_live_x', {}, evil)],
    [shop, await fromPage('init', '{')],
  ] as const;
  for (const [origin, { headers }] of answers) {
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  }
});

test('a preflight request of any origin is answered with the headers that the widget sends', async () => {
  const answer = await fetch(`${stack().url}/v1/client/init`, {
    method: 'OPTIONS',
    headers: { origin: shop, 'access-control-request-method': 'POST' },
  });
  expect(answer.status).toBe(204);
  const { 'access-control-allow-headers': allowed, ...headers } = Object.fromEntries(answer.headers);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST',
  });
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
  for (const name of ['Content-Type', 'X-Persona-Version']) expect(allowed).toContain(name);
});

test('a network of visitors makes at most 120 requests a minute to a token', async () => {
  const { token } = await chatWorld();
  const { token: other } = await chatWorld();
  const answers = await Promise.all(Array.from({ length: 130 }, () => openSession(token)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect((await expectStatus(429, openSession(token))).details).toBe(
    'Minutely limit of 120 requests reached',
  );
  await expectStatus(200, openSession(other));
});
