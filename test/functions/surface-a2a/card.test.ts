import { expect, test } from 'vitest';
import { availableItems, exposedItems } from '../../../shared/domain/surfaces/exposed-item.ts';
import { createScriptedAgent } from '../../support/agents/agent-runs.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { countingRuntime, newTenant, stack } from '../../support/stack/stack.ts';
import {
  a2aClient,
  a2aProtocols,
  a2aWorld,
  addSkill,
  clientByCard,
  sending,
  shownTask,
  text,
} from '../../support/surfaces/a2a-surface.ts';

const cardPath = '/.well-known/agent-card.json';

async function cardOf(url: string, version?: string) {
  const response = await fetch(`${url}${cardPath}`, { headers: version ? { 'a2a-version': version } : {} });
  return { status: response.status, card: (await response.json()) as Record<string, unknown> };
}

test('everybody gets the card of 1.0, with all interfaces, credentials and skills', async () => {
  const { url, surface } = await a2aWorld();
  const { status, card } = await cardOf(url, '1.0');
  expect(status).toBe(200);
  expect(card).toEqual({
    name: 'A surface',
    description: 'Greeter',
    version: expect.stringMatching(/^\d+$/),
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: expect.objectContaining({ streaming: true }),
    securitySchemes: {
      key: { httpAuthSecurityScheme: { scheme: 'Bearer', description: expect.any(String) } },
      session: {
        openIdConnectSecurityScheme: expect.objectContaining({
          openIdConnectUrl: expect.stringContaining('/.well-known/openid-configuration'),
        }),
      },
    },
    securityRequirements: [{ schemes: { key: {} } }, { schemes: { session: {} } }],
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'greet', name: 'Greet', description: 'Parameters: person', tags: ['flow'] }],
  });
  expect(surface.type).toBe('a2a');
});

test('a cache may keep the card for a minute, and ask whether it is still the same', async () => {
  const { url, tenant, path } = await a2aWorld();
  const ask = (version: string, known?: string) =>
    fetch(`${url}${cardPath}`, {
      headers: { 'a2a-version': version, ...(known && { 'if-none-match': known }) },
    });
  const first = await ask('1.0');
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^(?:W\/)?"[^"]+"$/);
  expect(first.headers.get('cache-control')).toBe('public, max-age=60');
  expect(first.headers.get('vary')?.toLowerCase()).toContain('a2a-version');
  const same = await ask('1.0', `"other", ${etag}`);
  expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, '']);
  expect((await ask('0.3', etag)).status).toBe(200);
  expect((await ask('1.0', '"other"')).status).toBe(200);
  await expectStatus(200, tenant.call('PUT', path, { body: { name: 'Renamed' } }));
  const after = await ask('1.0', etag);
  expect([after.status, ((await after.json()) as { name: string }).name]).toEqual([200, 'Renamed']);
  expect((await fetch(`${stack().url}/v1/products/${path.split('/')[3]}`)).headers.get('etag')).toBeNull();
});

test('a skill that nobody described is described by its agent', async () => {
  const world = await a2aWorld();
  const agent = await createScriptedAgent(world.tenant, {}, { description: 'Answers travellers' });
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const { card } = await cardOf(world.url, '1.0');
  const described = { id: 'ask', description: expect.stringMatching(/^Answers travellers/) };
  expect(card.skills).toContainEqual(expect.objectContaining(described));
});

test('without a version the card is one of 0.3 that also names the interfaces of 1.0', async () => {
  const { url } = await a2aWorld();
  const { card } = await cardOf(url);
  expect(card).toMatchObject({
    url,
    protocolVersion: '0.3',
    preferredTransport: 'JSONRPC',
    authentication: { type: 'bearer' },
    securitySchemes: { key: { type: 'http', scheme: 'Bearer' }, session: { type: 'openIdConnect' } },
  });
  expect(card.supportedInterfaces).toHaveLength(3);
});

test.each(['JSONRPC', 'HTTP+JSON'])(
  'the official client finds the agent by its card, and sends by %s',
  async (protocol) => {
    const { url, key } = await a2aWorld();
    const client = await clientByCard(`${url}${cardPath}`, key, protocol);
    expect(shownTask(await client.sendMessage(sending([text('Ada')])))).toMatchObject({
      answer: ['Hello Ada'],
    });
  },
);

test.each(['draft', 'paused'])(
  '404 for a %s surface, the same as for an unknown one and one of another type',
  async (status) => {
    const { url, tenant, path, productId } = await a2aWorld();
    const other = `${stack().url}/v1/products/${productId}/surfaces/surface_01k9m4v7d3x8qz5w2r6t0y1hbn/a2a`;
    const unknown = await cardOf(other);
    expect(unknown.status).toBe(404);
    await expectStatus(200, tenant.call('PUT', path, { body: { status } }));
    expect(await cardOf(url)).toEqual(unknown);
    const api = await expectStatus(
      201,
      tenant.call('POST', `/v1/products/${productId}/surfaces`, {
        body: { name: 'Api', type: 'api', status: 'active' },
      }),
    );
    expect(await cardOf(`${stack().url}/v1/products/${productId}/surfaces/${api.id}/a2a`)).toEqual(unknown);
  },
);

test('404 for a deleted surface, and for one under another product', async () => {
  const { url, tenant, path, productId } = await a2aWorld();
  const others = await newTenant();
  const product = await expectStatus(201, others.call('POST', '/v1/products', { body: { name: 'Other' } }));
  expect((await cardOf(url.replace(productId, product.id))).status).toBe(404);
  await expectStatus(200, tenant.call('DELETE', path));
  expect((await cardOf(url)).status).toBe(404);
});

test.each(a2aProtocols)('%s %s: there is no extended card, as the card says', async (...protocol) => {
  const { url, key } = await a2aWorld();
  expect((await cardOf(url, '1.0')).card.capabilities).not.toHaveProperty('extendedAgentCard', true);
  const client = await a2aClient(url, key, protocol);
  await expect(client.transport.getExtendedAgentCard({ tenant: '' })).rejects.toThrow('no extended card');
});

test('without an extended card each protocol has its own error', async () => {
  const { url, key } = await a2aWorld();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const code = async (method: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
    const response = await fetch(url, { method: 'POST', headers, body });
    return ((await response.json()) as { error: { code: number } }).error.code;
  };
  expect(await code('GetExtendedAgentCard')).toBe(-32004);
  expect(await code('agent/getAuthenticatedExtendedCard')).toBe(-32007);
  const response = await fetch(`${url}/extendedAgentCard`, { headers });
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: expect.objectContaining({ message: expect.stringContaining('no extended card') }) },
  ]);
});

test('a flow and an agent that were deleted are no skills any more', async () => {
  const world = await a2aWorld();
  const agent = await createScriptedAgent(world.tenant);
  await addSkill(world, { capabilityName: 'Ask', agentId: agent.id });
  const flow = await publishedFlow(world.tenant, [template('-')]);
  await addSkill(world, { capabilityName: 'Other', flowId: flow.id });
  await expectStatus(204, world.tenant.call('DELETE', `/v1/flows/${world.flow.id}`));
  await expectStatus(200, world.tenant.call('DELETE', `/v1/agents/${agent.id}`));
  for (const version of ['1.0', '0.3']) {
    const { card } = await cardOf(world.url, version);
    expect(card.skills).toEqual([expect.objectContaining({ id: 'other' })]);
  }
  const client = await a2aClient(world.url, world.key);
  await expect(client.sendMessage(sending([text('Ada')], { skillId: 'greet' }))).rejects.toThrow('deleted');
});

test('an agent without skills and without a description has a card', async () => {
  const { tenant, url, flow, productId } = await a2aWorld();
  await expectStatus(200, tenant.call('PUT', `/v1/products/${productId}`, { body: { description: '' } }));
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  for (const version of ['1.0', '0.3']) {
    expect(await cardOf(url, version)).toMatchObject({ status: 200, card: { description: '', skills: [] } });
  }
});

test('a process looks once a minute whether what it lists exists', async () => {
  const { tenant, productId, surface, flow } = await a2aWorld();
  const { scopeOf, consumed, reset } = countingRuntime();
  const scope = scopeOf(tenant.tenant);
  const { exposed } = await exposedItems(scope).findSurface(productId, surface.id);
  const listed = async (laterMs: number) => {
    reset();
    const later = { ...scope, now: () => new Date(Date.now() + laterMs) };
    return { items: await availableItems(later)(exposed), commands: consumed.commands };
  };
  expect(await listed(0)).toEqual({ items: exposed, commands: ['BatchGetItem'] });
  expect(await listed(1_000)).toEqual({ items: exposed, commands: [] });
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect(await listed(70_000)).toEqual({ items: [], commands: ['BatchGetItem'] });
});
