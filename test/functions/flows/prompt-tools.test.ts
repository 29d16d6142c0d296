import { expect, test } from 'vitest';
import { createAgent } from '../../support/agents/agents.ts';
import { newSecret } from '../../support/data/secrets.ts';
import { createFlow, expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const prompt = (tools: object) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: 'generic-openai/any', userPrompt: 'Hi', outputVariable: 'answer', tools },
});
const server = { id: 'm', url: 'https://mcp.example/mcp' };
const auth = { type: 'bearer', token: '{{secret:KEY}}' };
const tool = {
  name: 'look_up',
  description: 'Looks up',
  toolType: 'custom',
  parametersSchema: {},
  config: { code: 'return 1' },
};
const servers = (changes: object) => ({ mcpServers: [{ ...server, ...changes }] });
const withTool = (changes: object) => ({ runtimeTools: [{ ...tool, ...changes }] });
const missing = (kind: string) => `${kind}_${'0'.repeat(26)}`;

const external = (config: object) =>
  withTool({ toolType: 'external', config: { url: 'https://x.example', ...config } });

const invalidTools: [string, object, string, string][] = [
  ['no tool at all', {}, 'toolIds', 'MISSING_REQUIRED_FIELD'],
  ['an unknown member', { ...withTool({}), toolPool: [] }, 'toolPool', 'UNKNOWN_MEMBER'],
  ['an unknown member of a tool', withTool({ more: 1 }), 'runtimeTools.0.more', 'UNKNOWN_MEMBER'],
  ['an unknown member of a server', servers({ more: 1 }), 'mcpServers.0.more', 'UNKNOWN_MEMBER'],
  [
    'an unknown member of credentials',
    servers({ auth: { ...auth, configured: true } }),
    'mcpServers.0.auth.configured',
    'UNKNOWN_MEMBER',
  ],
  [
    'an unknown member of a tool’s config',
    withTool({ config: { code: '1', more: 1 } }),
    'runtimeTools.0.config.more',
    'UNKNOWN_MEMBER',
  ],
  [
    'a tool that the caller runs',
    withTool({ toolType: 'local', config: {} }),
    'runtimeTools.0.toolType',
    'INVALID_ENUM',
  ],
  ['two tools with one name', { runtimeTools: [tool, tool] }, 'runtimeTools.1.name', 'DUPLICATE_KEY'],
  ['two servers with one id', { mcpServers: [server, server] }, 'mcpServers.1.id', 'DUPLICATE_KEY'],
  [
    'a script that does not parse',
    withTool({ config: { code: 'return (' } }),
    'runtimeTools.0.config.code',
    'INVALID_SCRIPT',
  ],
  [
    'a template that does not parse',
    external({ headers: { a: '{{ x' } }),
    'runtimeTools.0.config.headers.a',
    'INVALID_TEMPLATE',
  ],
  [
    'a schema that is none',
    withTool({ parametersSchema: { type: 'array' } }),
    'runtimeTools.0.parametersSchema.type',
    'INVALID_SCHEMA',
  ],
  [
    'a plaintext token',
    servers({ auth: { type: 'bearer', token: 'a token in the clear' } }),
    'mcpServers.0.auth.token',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a plaintext password',
    servers({ auth: { type: 'basic', username: 'me', password: 'in the clear' } }),
    'mcpServers.0.auth.password',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a credential from a variable',
    servers({ auth: { type: 'bearer', token: '{{ inputs.token }}' } }),
    'mcpServers.0.auth.token',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a credential without a value',
    servers({ auth: { type: 'api_key' } }),
    'mcpServers.0.auth.token',
    'MISSING_REQUIRED_FIELD',
  ],
  [
    'a token for basic',
    servers({ auth: { type: 'basic', password: '{{secret:KEY}}', token: '{{secret:KEY}}' } }),
    'mcpServers.0.auth.token',
    'INVALID_VALUE',
  ],
  [
    'an invalid reference',
    servers({ auth: { type: 'bearer', token: '{{secret:lower}}' } }),
    'mcpServers.0.auth.token',
    'INVALID_TEMPLATE',
  ],
  [
    'a secret in the URL of a server',
    servers({ url: 'https://mcp.example/{{secret:KEY}}' }),
    'mcpServers.0.url',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a secret in a description',
    withTool({ description: '{{secret:KEY}}' }),
    'runtimeTools.0.description',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a secret with a host from the arguments',
    external({ url: 'https://{{ host }}/', headers: { a: '{{secret:KEY}}' } }),
    'runtimeTools.0.config.url',
    'SECRET_NOT_ALLOWED',
  ],
  [
    'a flow that does not exist',
    withTool({ toolType: 'flow', config: { flowId: missing('flow') } }),
    'runtimeTools.0.config.flowId',
    'UNKNOWN_FLOW',
  ],
  [
    'an agent that does not exist',
    withTool({ toolType: 'subagent', config: { agentId: missing('agent') } }),
    'runtimeTools.0.config.agentId',
    'UNKNOWN_AGENT',
  ],
];

test.each(invalidTools)(
  '400 with the path for %s, on create, update, dispatch and validate',
  async (_, tools, path, code) => {
    const tenant = await newTenant();
    const { id } = await createFlow(tenant);
    const inner = {
      type: 'conditional',
      name: 'if',
      config: { condition: 'true', trueSteps: [prompt(tools)] },
    };
    for (const [step, at] of [
      [prompt(tools), 'config.tools'],
      [inner, 'config.trueSteps.0.config.tools'],
    ] as const) {
      const expected = { code, path: `flowSteps.0.${at}.${path}` };
      const bodies = [
        await expectStatus(400, tenant.call('POST', '/v1/flows', { body: { name: 'f', flowSteps: [step] } })),
        await expectStatus(400, tenant.call('PUT', `/v1/flows/${id}`, { body: { flowSteps: [step] } })),
      ];
      for (const { details } of bodies) expect(details).toEqual([expect.objectContaining(expected)]);
      const inline = await expectStatus(
        400,
        tenant.call('POST', '/v1/dispatch', { body: { flow: { steps: [step] } } }),
      );
      expect(inline.details).toEqual([expect.objectContaining({ code, path: `flow.steps.0.${at}.${path}` })]);
      const { valid, errors } = await validated(tenant, [step]);
      expect({ valid, errors }).toEqual({ valid: false, errors: [expect.objectContaining(expected)] });
    }
  },
);

const validated = ({ call }: Pick<Tenant, 'call'>, flowSteps: object[]) =>
  expectStatus(200, call('POST', '/v1/public/flows/validate', { body: { name: 'f', flowSteps } }));

test('a flow has at most 200 runtime tools together: more are refused before any is looked at', async () => {
  const tenant = await newTenant();
  const broken = { ...tool, config: { code: 'return (' } };
  const tools = (count: number) => ({
    runtimeTools: Array.from({ length: count }, (_, n) => ({ ...broken, name: `t${n}` })),
  });
  const flowSteps = [...Array.from({ length: 4 }, () => prompt(tools(50))), prompt(tools(1))];
  const expected = {
    code: 'TOO_MANY_TOOLS',
    path: 'flowSteps.4.config.tools.runtimeTools',
    message: 'The prompts of a flow define at most 200 runtime tools together',
  };
  const saved = await expectStatus(400, tenant.call('POST', '/v1/flows', { body: { name: 'f', flowSteps } }));
  expect(saved.details).toEqual([expected]);
  expect((await validated(tenant, flowSteps)).errors).toEqual([expect.objectContaining(expected)]);
});

test('a flow with tools of its own is stored and returned as it was sent', async () => {
  const tenant = await newTenant();
  const tools = {
    mcpServers: [{ ...server, auth, timeout: 5, allowedTools: ['a'], transport: 'rest' }],
    ...external({ headers: { a: '{{secret:OTHER}}' } }),
  };
  const { id, flowSteps } = await createFlow(tenant, [prompt(tools)]);
  expect(flowSteps[0].config.tools).toEqual(tools);
  const read = await expectStatus(200, tenant.call('GET', `/v1/flows/${id}`));
  expect(read.flowSteps).toEqual(flowSteps);
  const { steps } = await expectStatus(200, tenant.call('GET', `/v1/flows/${id}/export-runtime`));
  const { mcpServers, runtimeTools } = steps[0].config.tools;
  expect([mcpServers[0].auth.token, runtimeTools[0].config.headers.a]).toEqual([
    'secret:KEY',
    'secret:OTHER',
  ]);
});

test('the secrets of a prompt’s tools count as references of the flow', async () => {
  const tenant = await newTenant();
  const code = "return '{{secret:IN_CODE}}' + secrets.MEMBER";
  const keys = ['KEY', 'IN_CODE', 'MEMBER'];
  const made = await Promise.all(keys.map((key) => newSecret(tenant, { key, value: `the value of ${key}` })));
  await createFlow(tenant, [prompt({ ...servers({ auth }), ...withTool({ config: { code } }) })]);
  for (const { id, key } of made) {
    const { referenceCount } = await expectStatus(200, tenant.call('DELETE', `/v1/secrets/${id}`));
    expect(referenceCount, key).toBe(1);
  }
});

test('another tenant’s flow and agent are refused as if they did not exist', async () => {
  const [owner, other] = await Promise.all([newTenant(), newTenant()]);
  const [flow, agent] = [await publishedFlow(owner), await createAgent(owner)];
  const runtimeTools = [
    { ...tool, name: 'a', toolType: 'flow', config: { flowId: flow.id } },
    { ...tool, name: 'b', toolType: 'subagent', config: { agentId: agent.id } },
  ];
  const body = { name: 'f', flowSteps: [prompt({ runtimeTools })] };
  await expectStatus(201, owner.call('POST', '/v1/flows', { body }));
  const { details } = await expectStatus(400, other.call('POST', '/v1/flows', { body }));
  expect(details.map(({ message }: { message: string }) => message)).toEqual([
    `There is no flow ${flow.id}`,
    `There is no agent ${agent.id}`,
  ]);
});

test('a flow cannot run itself as a tool of its prompt; a disabled step is not looked at', async () => {
  const tenant = await newTenant();
  const { id } = await createFlow(tenant);
  const update = (step: object) => tenant.call('PUT', `/v1/flows/${id}`, { body: { flowSteps: [step] } });
  const own = prompt(withTool({ toolType: 'flow', config: { flowId: id } }));
  const { details } = await expectStatus(400, update(own));
  expect(details).toEqual([
    {
      path: 'flowSteps.0.config.tools.runtimeTools.0.config.flowId',
      code: 'INVALID_VALUE',
      message: 'The flow would run itself. Choose another flow',
    },
  ]);
  await expectStatus(200, update({ ...own, enabled: false }));
});

test('validation looks up the models, secrets, flows and agents of tools, as far as the key may read them', async () => {
  const tenant = await newTenant();
  const runtimeTools = [
    { ...tool, name: 'a', toolType: 'advisor', config: { model: 'nobody/model' } },
    { ...tool, name: 'b', toolType: 'flow', config: { flowId: missing('flow') } },
  ];
  const steps = [prompt({ runtimeTools, ...servers({ auth }) }), template('{{ answer }}')];
  const at = 'flowSteps.0.config.tools';
  const found = async (caller: Pick<Tenant, 'call'>) => {
    const { errors, warnings } = await validated(caller, steps);
    return [...errors, ...warnings].map(({ code, path }: Record<string, string>) => `${code} ${path}`);
  };
  const all = await found(tenant);
  expect(all).toContain(`UNKNOWN_FLOW ${at}.runtimeTools.1.config.flowId`);
  expect(all).toContain(`UNKNOWN_MODEL ${at}.runtimeTools.0.config.model`);
  expect(all).toContain(`UNKNOWN_SECRET ${at}.mcpServers.0.auth.token`);
  const key = await newKey(tenant, { permissions: ['FLOWS:WRITE'] });
  expect((await found(key)).filter((each) => /FLOW|SECRET/.test(each))).toEqual([]);
});

test('a flow with a hundred tools is checked and saved: what waits for a thread at the same time counts once', async () => {
  const tenant = await newTenant();
  // Of two prompts: each has 64 at most.
  const tools = Array.from({ length: 100 }, (_, index) => ({
    ...tool,
    name: `look_up_${index}`,
    config: { code: `return ${index}` },
    parametersSchema: { type: 'object', properties: { [`p${index}`]: { type: 'string' } } },
  }));
  const flowSteps = [tools.slice(0, 50), tools.slice(50)].map((runtimeTools) => prompt({ runtimeTools }));
  const body = { name: 'Many tools', flowSteps };
  const found = await expectStatus(200, tenant.call('POST', '/v1/public/flows/validate', { body }));
  expect(found.errors).toEqual([]);
  await expectStatus(201, tenant.call('POST', '/v1/flows', { body }));
}, 60_000);
