import { expect, test } from 'vitest';
import { createAgent, updateAgent } from '../../support/agents/agents.ts';
import { createFlow, expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';

const unknownFlow = `flow_${'0'.repeat(26)}`;

test('an agent is created with its defaults, read, changed and deleted', async () => {
  const { call, userId } = await newTenant();
  const created = await createAgent({ call });
  expect(created).toEqual({
    id: expect.stringMatching(/^agent_/),
    userId,
    organizationId: null,
    name: 'An agent',
    description: null,
    icon: null,
    agentType: 'native',
    status: 'active',
    primaryFlowId: null,
    capabilities: [],
    config: null,
    externalConfig: null,
    vendorManagedConfig: null,
    healthStatus: null,
    lastHealthCheckAt: null,
    publishedVersionId: null,
    draftVersionId: expect.stringMatching(/^agentver_/),
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    dashboardUrl: `${stack().url}/console#/agents/${created.id}`,
  });
  const path = `/v1/agents/${created.id}`;
  const { draftVersionId, ...shown } = created;
  expect(await expectStatus(200, call('GET', path))).toEqual({ ...shown, primaryFlow: null });
  const changes = { name: 'Other', description: 'x', icon: '🤖', config: { model: 'gpt-5-mini' } };
  const { capabilities: _none, ...changed } = shown;
  expect(await updateAgent({ call }, created.id, changes)).toEqual({
    ...changed,
    ...changes,
    draftVersionId,
    updatedAt: expect.any(String),
  });
  expect(await expectStatus(200, call('DELETE', path, { body: {} }))).toEqual({ success: true });
  for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const) {
    expect(await expectStatus(404, call(method, path, { body }))).toEqual(notFoundBody('Agent'));
  }
});

test('PUT merges objects deeply and replaces lists; null removes members and clears fields', async () => {
  const tenant = await newTenant();
  const config = {
    model: 'gpt-5-mini',
    temperature: 0.2,
    loopConfig: { maxTurns: 5, maxCost: 1 },
    tools: {
      toolIds: ['builtin:date-time', 'builtin:calculator'],
      toolConfigs: { a: { x: 1 }, b: { y: 1 } },
    },
  };
  const { id } = await createAgent(tenant, { description: 'd', icon: 'i', config });
  const merged = await updateAgent(tenant, id, {
    config: {
      temperature: null,
      loopConfig: { maxTurns: 6 },
      tools: { toolIds: ['builtin:calculator'], toolConfigs: { a: { z: 2 }, b: null } },
    },
  });
  expect(merged.config).toEqual({
    model: 'gpt-5-mini',
    loopConfig: { maxTurns: 6, maxCost: 1 },
    tools: { toolIds: ['builtin:calculator'], toolConfigs: { a: { x: 1, z: 2 } } },
  });
  expect(await updateAgent(tenant, id, { description: null, icon: null, config: null })).toMatchObject({
    description: null,
    icon: null,
    config: null,
  });
  const external = { externalConfig: { endpoint: 'https://agent.example/a2a' } };
  expect(await updateAgent(tenant, id, external)).toMatchObject(external);
  expect(await updateAgent(tenant, id, { externalConfig: null })).toMatchObject({ externalConfig: null });
});

test('maxTurns is a shorthand of config.loopConfig.maxTurns, which wins', async () => {
  const tenant = await newTenant();
  const { id, config } = await createAgent(tenant, { maxTurns: 7, config: { model: 'gpt-5-mini' } });
  expect(config).toEqual({ model: 'gpt-5-mini', loopConfig: { maxTurns: 7 } });
  const changed = await updateAgent(tenant, id, { maxTurns: 8, config: { loopConfig: { maxCost: 1 } } });
  expect(changed.config.loopConfig).toEqual({ maxTurns: 8, maxCost: 1 });
  const both = { maxTurns: 9, config: { loopConfig: { maxTurns: 3 } } };
  expect((await updateAgent(tenant, id, both)).config.loopConfig.maxTurns).toBe(3);
  expect((await updateAgent(tenant, id, { maxTurns: 4 })).config.loopConfig.maxTurns).toBe(4);
});

test('aliases: runtype, claude_managed and claudeManagedConfig', async () => {
  const tenant = await newTenant();
  expect((await createAgent(tenant, { agentType: 'runtype' })).agentType).toBe('native');
  const claudeManagedConfig = { setupMode: 'connect', anthropicAgentId: 'a1' };
  const { id, ...created } = await createAgent(tenant, { agentType: 'claude_managed', claudeManagedConfig });
  expect(created).toMatchObject({ agentType: 'vendor_managed', vendorManagedConfig: claudeManagedConfig });
  expect(created).not.toHaveProperty('claudeManagedConfig');
  const changed = await updateAgent(tenant, id, { claudeManagedConfig: { model: 'm' } });
  expect(changed.vendorManagedConfig).toEqual({ ...claudeManagedConfig, model: 'm' });
});

test('the primary flow is shown with its name, and reads as null after it was deleted', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant, [], 'First');
  const { id, primaryFlowId } = await createAgent(tenant, { primaryFlowId: flow.id });
  expect(primaryFlowId).toBe(flow.id);
  const get = () => expectStatus(200, tenant.call('GET', `/v1/agents/${id}`));
  expect(await get()).toMatchObject({ primaryFlow: { id: flow.id, name: 'First' }, primaryFlowId: flow.id });
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect(await get()).toMatchObject({ primaryFlow: null, primaryFlowId: null });
  expect(await updateAgent(tenant, id, { name: 'Other' })).toMatchObject({ primaryFlowId: null });
  const other = await createFlow(tenant, [], 'Second');
  expect(await updateAgent(tenant, id, { primaryFlowId: other.id })).toMatchObject({
    primaryFlowId: other.id,
  });
  expect(await updateAgent(tenant, id, { primaryFlowId: null })).toMatchObject({ primaryFlowId: null });
});

test('404 for a primary flow that does not exist, or of another tenant; nothing is saved', async () => {
  const [tenant, stranger] = [await newTenant(), await newTenant()];
  const { id } = await createAgent(tenant);
  for (const primaryFlowId of [unknownFlow, (await createFlow(stranger)).id]) {
    const body = { name: 'Not saved', primaryFlowId };
    for (const [method, path] of [
      ['POST', '/v1/agents'],
      ['PUT', `/v1/agents/${id}`],
    ] as const) {
      expect(await expectStatus(404, tenant.call(method, path, { body }))).toEqual(notFoundBody('Flow'));
    }
  }
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/agents'));
  expect(data.map(({ name }: { name: string }) => name)).toEqual(['An agent']);
});

const tooLarge = { systemPrompt: '漢'.repeat(100_000), model: 'm'.repeat(200) };

test.each<[string, object, string, string]>([
  ['no name', { name: undefined }, 'name', 'MISSING_REQUIRED_FIELD'],
  ['a blank name', { name: ' ' }, 'name', 'INVALID_FORMAT'],
  ['half a surrogate pair', { description: '\ud800' }, 'description', 'INVALID_VALUE'],
  ['a long icon', { icon: 'x'.repeat(51) }, 'icon', 'TOO_BIG'],
  ['an unknown type', { agentType: 'magic' }, 'agentType', 'INVALID_ENUM'],
  ['an unknown member', { status: 'active' }, 'status', 'UNKNOWN_MEMBER'],
  ['an unknown member of the config', { config: { modle: 'x' } }, 'config.modle', 'UNKNOWN_MEMBER'],
  ['too many turns', { maxTurns: 101 }, 'maxTurns', 'TOO_BIG'],
  [
    'an external agent without an address',
    { agentType: 'external' },
    'externalConfig.endpoint',
    'MISSING_REQUIRED_FIELD',
  ],
  ['a malformed flow id', { primaryFlowId: 'x' }, 'primaryFlowId', 'INVALID_FORMAT'],
  ['a config that is too large', { config: tooLarge }, 'config', 'TOO_LARGE'],
])('400 with the path for %s', async (_name, changes, path, code) => {
  const { call } = await newTenant();
  const { details } = await expectStatus(
    400,
    call('POST', '/v1/agents', { body: { name: 'An agent', ...changes } }),
  );
  expect(details).toContainEqual(expect.objectContaining({ path, code }));
  expect((await expectStatus(200, call('GET', '/v1/agents'))).data).toEqual([]);
});

test('PUT checks the merged configs: 400 with the path, and the agent is unchanged', async () => {
  const tenant = await newTenant();
  const agent = await createAgent(tenant, { config: { model: 'gpt-5-mini' } });
  for (const [body, path] of [
    [{ config: { model: 1 } }, 'config.model'],
    [{ config: { loopConfig: { maxTurns: 0 } } }, 'config.loopConfig.maxTurns'],
    [{ config: { modle: 'x' } }, 'config.modle'],
    [{ agentType: 'external' }, 'externalConfig.endpoint'],
    [{ vendorManagedConfig: { model: 'm' } }, 'vendorManagedConfig.setupMode'],
    [{ config: tooLarge }, 'config'],
  ] as const) {
    const { details } = await expectStatus(400, tenant.call('PUT', `/v1/agents/${agent.id}`, { body }));
    expect(details).toContainEqual(expect.objectContaining({ path }));
  }
  const { primaryFlow: _flow, ...read } = await expectStatus(
    200,
    tenant.call('GET', `/v1/agents/${agent.id}`),
  );
  const { draftVersionId: _draft, ...created } = agent;
  expect(read).toEqual(created);
});

test('an agent whose configs have just the largest size is saved, and its list row is complete', async () => {
  const tenant = await newTenant();
  const config = { systemPrompt: '漢'.repeat(99_900) };
  const { id } = await createAgent(tenant, {
    config,
    description: '漢'.repeat(2_000),
    name: '漢'.repeat(255),
  });
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/agents'));
  expect(data).toMatchObject([{ id, config }]);
});

test('concurrent changes of different members keep both', async () => {
  const { call } = await newTenant();
  const { id } = await createAgent({ call });
  const bodies = [{ name: 'Other' }, { icon: 'i' }, { config: { seed: 1 } }];
  await Promise.all(bodies.map((body) => updateAgent({ call }, id, body)));
  expect(await expectStatus(200, call('GET', `/v1/agents/${id}`))).toMatchObject(
    Object.assign({}, ...bodies),
  );
});
