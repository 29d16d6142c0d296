import { expect, test } from 'vitest';
import { createAgent, publishAgent, updateAgent } from '../../support/agents/agents.ts';
import { loadExport } from '../../support/files/load-export.ts';
import { createTool } from '../../support/files/tools.ts';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const exported = ({ call }: Pick<Tenant, 'call'>, id: string) =>
  expectStatus(200, call('GET', `/v1/agents/${id}/export-runtime`));

const server = { id: 'search', url: 'https://mcp.example/mcp' };

/** An agent with everything that it can reference. */
async function wholeAgent(tenant: Tenant) {
  const config = { url: 'https://a.example', headers: { k: '{{secret:OWN_KEY}}' } };
  const external = await createTool(tenant, { toolType: 'external', name: 'External', config });
  const inTool = await publishedFlow(tenant, [template('in a tool {{ n }}')]);
  const flowTool = await createTool(tenant, {
    toolType: 'flow',
    name: 'Flow',
    config: { flowId: inTool.id },
  });
  const callsTool = { type: 'tool-call', name: 'call', config: { toolId: external.id, parameters: {} } };
  const flow = await publishedFlow(tenant, [callsTool, template('done')]);
  const primary = await createFlow(tenant, [template('first {{ input }}')], 'Primary');
  const script = await createTool(tenant);
  const subAgent = await createAgent(tenant, {
    name: 'Sub-agent',
    icon: '🤖',
    agentType: 'external',
    externalConfig: {
      endpoint: 'https://agent.example/a2a',
      auth: { type: 'bearer', credentials: 'the credentials' },
    },
    capabilities: [{ toolName: 'double', toolId: script.id }],
  });
  const model = { provider: 'openai', modelId: 'gpt-5-mini' };
  const modelConfig = await expectStatus(201, tenant.call('POST', '/v1/model-configs', { body: model }));
  const parametersSchema = { type: 'object', properties: { code: { type: 'string' } } };
  const agent = await createAgent(tenant, {
    description: 'd',
    primaryFlowId: primary.id,
    config: {
      model: modelConfig.id,
      systemPrompt: 'You are {{ _agent.name }}',
      tools: {
        toolIds: [flowTool.id, 'builtin:calculator', 'mcp:search:x'],
        mcpServers: [
          { ...server, auth: { type: 'bearer', token: 'the token of it' } },
          { ...server, id: 'named', auth: { type: 'basic', username: 'u', password: '{{secret:NAMED}}' } },
        ],
        runtimeTools: [
          {
            name: 'run',
            description: 'r',
            toolType: 'flow',
            parametersSchema: {},
            config: { flowId: inTool.id },
          },
        ],
      },
    },
    capabilities: [
      { toolName: 'flow', toolDescription: 'Runs', flowId: flow.id, parametersSchema },
      { toolName: 'other', subAgentId: subAgent.id, enabled: false },
      { toolName: 'double', toolId: script.id },
      { toolName: 'clock', toolId: 'builtin:date-time' },
    ],
  });
  return { agent, subAgent, flow, primary, inTool, external, flowTool, script };
}

test('an export lists the flows that prompts run as tools, and the tools of these', async () => {
  const tenant = await newTenant();
  const prompt = (tools: object) => ({
    type: 'prompt',
    name: 'ask',
    config: { model: 'openai/gpt-5-mini', userPrompt: 'Hi', tools },
  });
  const runs = (flowId: string) => ({
    runtimeTools: [
      { name: 'run', description: 'r', toolType: 'flow', parametersSchema: {}, config: { flowId } },
    ],
  });
  const tool = await createTool(tenant);
  const deep = await publishedFlow(tenant, [prompt({ toolIds: [tool.id] })]);
  const inner = await publishedFlow(tenant, [prompt(runs(deep.id))]);
  const primary = await createFlow(tenant, [prompt(runs(inner.id))]);
  const agent = await createAgent(tenant, { primaryFlowId: primary.id });
  const { flows, tools } = await exported(tenant, agent.id);
  const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).toSorted();
  expect(idsOf(flows)).toEqual([primary.id, inner.id, deep.id].toSorted());
  expect(idsOf(tools)).toEqual([tool.id]);
});

test('an export inlines what an agent calls, with the names of secrets and models', async () => {
  const tenant = await newTenant();
  const { agent, subAgent, flow, primary, inTool, external, flowTool, script } = await wholeAgent(tenant);
  const whole = await exported(tenant, agent.id);
  const ulid = (id: string) => id.slice(-26).toUpperCase();
  expect(whole).toMatchObject({
    id: agent.id,
    name: 'An agent',
    description: 'd',
    icon: null,
    agentType: 'native',
    primaryFlow: { id: primary.id, name: 'Primary', steps: primary.flowSteps },
    config: { model: 'openai/gpt-5-mini', systemPrompt: 'You are {{ _agent.name }}' },
    capabilities: [
      {
        toolName: 'flow',
        toolDescription: 'Runs',
        enabled: true,
        flow: { id: flow.id, steps: flow.flowSteps },
      },
      {
        toolName: 'other',
        subAgentId: subAgent.id,
        enabled: false,
        agent: {
          id: subAgent.id,
          name: 'Sub-agent',
          agentType: 'external',
          icon: '🤖',
          config: {},
          externalConfig: {
            auth: { type: 'bearer', credentials: `secret:AGENT_${ulid(subAgent.id)}_EXTERNAL` },
          },
          capabilities: [{ toolName: 'double', tool: { id: script.id, config: script.config } }],
        },
      },
      { toolName: 'double', tool: { id: script.id } },
      { toolName: 'clock', toolId: 'builtin:date-time' },
    ],
  });
  expect(whole.config.tools.mcpServers.map(({ auth }: { auth: object }) => auth)).toEqual([
    { type: 'bearer', token: `secret:AGENT_${ulid(agent.id)}_MCP_0_TOKEN` },
    { type: 'basic', username: 'u', password: 'secret:NAMED' },
  ]);
  expect(whole.capabilities[3]).not.toHaveProperty('omitted');
  const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).toSorted();
  expect(idsOf(whole.tools)).toEqual([external.id, flowTool.id, script.id].toSorted());
  expect(idsOf(whole.flows)).toEqual([flow.id, primary.id, inTool.id].toSorted());
  const tool = whole.tools.find(({ id }: { id: string }) => id === external.id);
  expect(tool.config.headers).toEqual({ k: 'secret:OWN_KEY' });
  expect(JSON.stringify(whole)).not.toMatch(/the token|the credentials|configured|modelcfg_/);
});

test('an export can be loaded into an empty tenant, from which the same export comes', async () => {
  const [tenant, empty] = [await newTenant(), await newTenant()];
  const { agent } = await wholeAgent(tenant);
  const whole = await exported(tenant, agent.id);
  const ids = await loadExport(empty, whole);
  const again = JSON.stringify(await exported(empty, ids.get(agent.id) ?? ''));
  const inOldIds = JSON.parse([...ids].reduce((text, [old, id]) => text.replaceAll(id, old), again));
  const sorted = (list: { id: string }[]) => list.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const comparable = (one: typeof whole) => ({ ...one, tools: sorted(one.tools), flows: sorted(one.flows) });
  expect(comparable(inOldIds)).toEqual(comparable(whole));
});

test('the published version is exported, of sub-agents too; the live one while nothing is published', async () => {
  const tenant = await newTenant();
  const sub = await createAgent(tenant, { config: { seed: 1 } });
  const { id } = await createAgent(tenant, {
    config: { seed: 1 },
    capabilities: [{ toolName: 'sub', subAgentId: sub.id }],
  });
  const seeds = async () => {
    const whole = await exported(tenant, id);
    return [whole.config.seed, whole.capabilities[0]?.agent.config.seed];
  };
  for (const each of [id, sub.id]) await publishAgent(tenant, each);
  for (const each of [id, sub.id]) await updateAgent(tenant, each, { config: { seed: 2 } });
  expect(await seeds()).toEqual([1, 1]);
  await publishAgent(tenant, sub.id);
  expect(await seeds()).toEqual([1, 2]);
});

test('sub-agents are inlined three levels deep', async () => {
  const tenant = await newTenant();
  let below: string | undefined;
  for (const name of ['five', 'four', 'three', 'two', 'one', 'zero']) {
    const capabilities = below ? [{ toolName: 'below', subAgentId: below }] : [];
    below = (await createAgent(tenant, { name, capabilities })).id;
  }
  const zero = await exported(tenant, below ?? '');
  const three = zero.capabilities[0].agent.capabilities[0].agent.capabilities[0].agent;
  expect(three.name).toBe('three');
  expect(three.capabilities).toMatchObject([{ toolName: 'below', omitted: 'depth' }]);
  expect(three.capabilities[0]).not.toHaveProperty('agent');
});

test('cycles are cut, deleted targets and vendor-managed agents are left out, and each says so', async () => {
  const tenant = await newTenant();
  const [flow, tool, vendor] = [
    await createFlow(tenant),
    await createTool(tenant),
    await createAgent(tenant, { agentType: 'vendor_managed' }),
  ];
  const other = await createAgent(tenant);
  const { id } = await createAgent(tenant, {
    capabilities: [
      { toolName: 'flow', flowId: flow.id },
      { toolName: 'tool', toolId: tool.id },
      { toolName: 'vendor', subAgentId: vendor.id },
      { toolName: 'other', subAgentId: other.id },
    ],
  });
  const add = (agentId: string, body: object) =>
    tenant.call('POST', `/v1/agents/${agentId}/capabilities`, { body });
  // The cycle goes through a published version, which the check of the live agents does not see.
  await publishAgent(tenant, id);
  const { capabilities } = await expectStatus(200, tenant.call('GET', `/v1/agents/${id}`));
  await expectStatus(200, tenant.call('DELETE', `/v1/agents/${id}/capabilities/${capabilities[3].id}`));
  await expectStatus(201, add(other.id, { toolName: 'back', subAgentId: id }));
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  await expectStatus(200, tenant.call('DELETE', `/v1/tools/${tool.id}`));
  const whole = await exported(tenant, id);
  expect(whole.capabilities).toMatchObject([
    { toolName: 'flow', omitted: 'deleted' },
    { toolName: 'tool', omitted: 'deleted' },
    { toolName: 'vendor', omitted: 'vendor-managed' },
    { toolName: 'other', agent: { capabilities: [{ toolName: 'back', omitted: 'cycle' }] } },
  ]);
});

test('400 for a vendor-managed agent, 404 for an unknown one, 413 for an export that is too large', async () => {
  const tenant = await newTenant();
  const vendor = await createAgent(tenant, { agentType: 'vendor_managed' });
  const path = (id: string) => `/v1/agents/${id}/export-runtime`;
  await expectStatus(400, tenant.call('GET', path(vendor.id)));
  const unknown = await expectStatus(404, tenant.call('GET', path(`agent_${'0'.repeat(26)}`)));
  expect(unknown).toEqual(notFoundBody('Agent'));
  const flow = await createFlow(tenant, [{ ...template('x'.repeat(90_000)), name: 'long' }]);
  const capabilities = Array.from({ length: 64 }, (_, n) => ({ toolName: `flow ${n}`, flowId: flow.id }));
  const large = await createAgent(tenant, { capabilities });
  const { details } = await expectStatus(413, tenant.call('GET', path(large.id)));
  expect(details[0].message).toContain('more than 5 MB');
});

test('413 for an export that would inline the same agents so often that no text could hold it', async () => {
  const tenant = await newTenant();
  let ids: string[] = [];
  for (let level = 0; level < 4; level++) {
    const below = ids;
    const capabilities = Array.from({ length: 60 }, (_, n) => ({
      toolName: `c${n}`,
      toolDescription: 'd'.repeat(4_000),
      subAgentId: below[n % 2],
    }));
    const make = async () =>
      (await createAgent(tenant, { description: 'd'.repeat(2_000), ...(below[0] && { capabilities }) })).id;
    ids = [await make(), await make()];
  }
  await expectStatus(413, tenant.call('GET', `/v1/agents/${ids[0]}/export-runtime`));
});
