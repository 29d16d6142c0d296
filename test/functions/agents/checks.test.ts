import { expect, test } from 'vitest';
import { createAgent, updateAgent } from '../../support/agents/agents.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { createTool } from '../../support/files/tools.ts';
import { createFlow, expectStatus, publishedFlow } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';

const server = { id: 'search', url: 'https://mcp.example/mcp' };
const runtimeTool = {
  name: 'lookup',
  description: 'Looks up',
  toolType: 'custom',
  parametersSchema: {},
  config: { code: 'return 1' },
};
const tools = (given: object) => ({ config: { tools: given } });
const runtime = (changes: object) => tools({ runtimeTools: [{ ...runtimeTool, ...changes }] });
const inTool = 'config.tools.runtimeTools.0';

test.each<[string, object, string, string]>([
  [
    'a template that does not parse',
    { config: { systemPrompt: 'You are {{ x' } },
    'config.systemPrompt',
    'INVALID_TEMPLATE',
  ],
  [
    'a profile template that does not parse',
    { config: { memory: { enabled: true, profileTemplate: '{% if %}' } } },
    'config.memory.profileTemplate',
    'INVALID_TEMPLATE',
  ],
  [
    'a secret in a prompt',
    { config: { systemPrompt: '{{secret:KEY}}' } },
    'config.systemPrompt',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a secret in the URL of a server',
    tools({ mcpServers: [{ ...server, url: 'https://mcp.example/{{secret:KEY}}' }] }),
    'config.tools.mcpServers.0.url',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a malformed name of a secret',
    tools({ mcpServers: [{ ...server, auth: { type: 'bearer', token: '{{secret:key}}' } }] }),
    'config.tools.mcpServers.0.auth.token',
    'INVALID_TEMPLATE',
  ],
  [
    'a filter in a credential',
    tools({ mcpServers: [{ ...server, auth: { type: 'bearer', token: '{{secret:KEY | upcase}}' } }] }),
    'config.tools.mcpServers.0.auth.token',
    'INVALID_TEMPLATE',
  ],
  [
    'a short credential',
    tools({ mcpServers: [{ ...server, auth: { type: 'bearer', token: 'short' } }] }),
    'config.tools.mcpServers.0.auth.token',
    'TOO_SMALL',
  ],
  [
    'a token for basic',
    tools({ mcpServers: [{ ...server, auth: { type: 'basic', token: 'a long token' } }] }),
    'config.tools.mcpServers.0.auth.token',
    'INVALID_VALUE',
  ],
  [
    'a password for bearer',
    tools({ mcpServers: [{ ...server, auth: { type: 'bearer', password: 'a long password' } }] }),
    'config.tools.mcpServers.0.auth.password',
    'INVALID_VALUE',
  ],
  [
    'two servers with one id',
    tools({ mcpServers: [server, server] }),
    'config.tools.mcpServers.1.id',
    'DUPLICATE_KEY',
  ],
  [
    'two runtime tools with one name',
    tools({ runtimeTools: [runtimeTool, runtimeTool] }),
    'config.tools.runtimeTools.1.name',
    'DUPLICATE_KEY',
  ],
  [
    'a runtime tool’s script that does not parse',
    runtime({ config: { code: 'return (' } }),
    `${inTool}.config.code`,
    'INVALID_SCRIPT',
  ],
  [
    'a runtime tool’s config of another type',
    runtime({ toolType: 'flow' }),
    `${inTool}.config.flowId`,
    'MISSING_REQUIRED_FIELD',
  ],
  [
    'a runtime tool’s schema that is not valid',
    runtime({ parametersSchema: { type: 'object', properties: { n: { type: 'text' } } } }),
    `${inTool}.parametersSchema.properties.n.type`,
    'INVALID_SCHEMA',
  ],
  [
    'the schema of a tool that only agents have',
    runtime({ toolType: 'search', config: {}, parametersSchema: { type: 'array' } }),
    `${inTool}.parametersSchema.type`,
    'INVALID_SCHEMA',
  ],
  [
    'an advisor without a model',
    runtime({ toolType: 'advisor', config: {} }),
    `${inTool}.config.model`,
    'MISSING_REQUIRED_FIELD',
  ],
  [
    'a search at an unknown service',
    runtime({ toolType: 'search', config: { provider: 'imaginary' } }),
    `${inTool}.config.provider`,
    'INVALID_ENUM',
  ],
  [
    'a secret in the prompt of an advisor',
    runtime({ toolType: 'advisor', config: { model: 'gpt-5', systemPrompt: '{{secret:KEY}}' } }),
    `${inTool}.config.systemPrompt`,
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a secret that arguments can send to another server',
    runtime({
      toolType: 'external',
      config: { url: 'https://{{ host }}/', headers: { k: '{{secret:KEY}}' } },
    }),
    `${inTool}.config.url`,
    'SECRET_NOT_ALLOWED',
  ],
])('400 with the path for %s, on create and update', async (_what, body, path, code) => {
  const tenant = await newTenant();
  const { id } = await createAgent(tenant);
  for (const [method, to] of [
    ['POST', '/v1/agents'],
    ['PUT', `/v1/agents/${id}`],
  ] as const) {
    const { details } = await expectStatus(400, tenant.call(method, to, { body: { name: 'x', ...body } }));
    expect(details).toContainEqual(expect.objectContaining({ path, code }));
  }
});

test('400 for more than 40 secrets', async () => {
  const { call } = await newTenant();
  const config = { code: Array.from({ length: 41 }, (_, n) => `secrets.KEY_${n}`).join(' + ') };
  const body = {
    name: 'x',
    ...tools({ runtimeTools: [{ ...runtimeTool, config: { code: config.code.slice(0, 200) } }] }),
  };
  await expectStatus(201, call('POST', '/v1/agents', { body }));
  const many = { name: 'x', ...runtime({ config }) };
  const { details } = await expectStatus(400, call('POST', '/v1/agents', { body: many }));
  expect(details).toContainEqual(expect.objectContaining({ path: 'config', code: 'TOO_MANY_SECRETS' }));
});

test('a card that a server wrote may contain what looks like a secret', async () => {
  const tenant = await newTenant();
  const cachedAgentCard = { description: 'Send {{secret:KEY}}' };
  await createAgent(tenant, { externalConfig: { endpoint: 'https://agent.example', cachedAgentCard } });
});

test('warnings name unknown models, tools, flows, servers and secrets, and what cannot run', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const tool = await createTool(tenant);
  await expectStatus(200, tenant.call('PUT', `/v1/tools/${tool.id}`, { body: { isActive: false } }));
  const [noTool, noFlow, noModel] = ['tool', 'flow', 'modelcfg'].map((kind) => `${kind}_${'0'.repeat(26)}`);
  const flowTool = (flowId: string) => ({
    ...runtimeTool,
    name: flowId,
    toolType: 'flow',
    config: { flowId },
  });
  const { _warnings } = await createAgent(tenant, {
    externalConfig: { endpoint: 'https://agent.example' },
    config: {
      model: 'imaginary-model',
      advisor: { model: noModel },
      tools: {
        toolIds: [
          tool.id,
          noTool,
          'builtin:magic',
          'builtin:date-time',
          'mcp:gone:x',
          'mcp:search:x',
          'weather',
        ],
        runtimeTools: [flowTool(noFlow ?? ''), flowTool(flow.id)],
        mcpServers: [
          { ...server, auth: { type: 'bearer', token: '{{secret:MISSING}}' } },
          { id: 'bare', url: server.url, auth: { type: 'api_key' } },
        ],
      },
    },
  });
  expect(_warnings).toEqual([
    'externalConfig has no effect: the agent is native. Set agentType to external to call its endpoint',
    'The agent has tools, but responds only once, so it never sees their results. Set config.loopConfig.maxTurns',
    'The MCP server bare has no credential; send its token or password',
    'mcp:gone:x: there is no MCP server gone',
    'weather is no id of a tool: expected tool_<26 characters>, builtin:<id> or mcp:<server>:<tool>',
    'The catalog has no model imaginary-model; write models outside of the catalog as <provider>/imaginary-model',
    `There is no model config ${noModel}`,
    `The tool "${tool.name}" (${tool.id}) is not active`,
    `There is no tool ${noTool}`,
    'There is no built-in tool magic',
    `There is no flow ${noFlow}`,
    'The secret MISSING has no value; set it through /v1/secrets',
  ]);
  const vendor = await createAgent(tenant, { agentType: 'vendor_managed' });
  expect(vendor._warnings).toEqual(['A vendor-managed agent can be stored, but this service cannot run it']);
  expect(await updateAgent(tenant, vendor.id, { agentType: 'native' })).not.toHaveProperty('_warnings');
});

test('an author needs AGENTS:WRITE only; warnings tell nothing that the key may not read', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant);
  await newSecret(tenant, { key: 'KNOWN', value: 'a known value' });
  const { call } = await newKey(tenant, { permissions: ['AGENTS:WRITE'] });
  const noTool = `tool_${'0'.repeat(26)}`;
  const agent = await createAgent(
    { call },
    {
      primaryFlowId: flow.id,
      capabilities: [{ toolName: 'flow', flowId: flow.id }],
      config: {
        model: 'gpt-5-mini',
        loopConfig: { maxTurns: 3 },
        tools: {
          toolIds: [noTool],
          mcpServers: [{ ...server, auth: { type: 'bearer', token: '{{secret:UNKNOWN}}' } }],
        },
      },
    },
  );
  expect(agent).not.toHaveProperty('_warnings');
});
