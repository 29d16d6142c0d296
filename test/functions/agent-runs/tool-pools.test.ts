import { randomUUID } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const runtimeTool = {
  name: 'look up',
  description: 'Looks up',
  toolType: 'custom',
  parametersSchema: { type: 'object' },
  config: { code: 'return "found"' },
};
const mcpServer = () => ({ id: 'm', url: `${inject('failingMcpUrl')}/${randomUUID()}/alive` });
const done = { text: 'done' };

const resultsOf = async (tenant: Tenant, agentId: string, executionId: string) => {
  const path = `/v1/agents/${agentId}/executions/${executionId}/tool-calls`;
  const { toolCalls } = await expectStatus(200, tenant.call('GET', path));
  return Promise.all(
    toolCalls.map(async ({ id }: { id: string }) => {
      const { errorMessage, outputResult } = await expectStatus(200, tenant.call('GET', `${path}/${id}`));
      return errorMessage ?? outputResult;
    }),
  );
};

const childOf = async (tenant: Tenant, agentId: string, executionId: string) => {
  const query = `?parentExecutionId=${executionId}`;
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/agents/${agentId}/executions${query}`));
  return data[0].id as string;
};

test.each(['mcp:m:work', 'm__work'])(
  'code and spawned agents use runtime tools and tools of MCP servers by name: %s',
  async (ofServer) => {
    const tenant = await newTenant();
    const toolPool = ['look up', ofServer];
    const server = { ...mcpServer(), auth: { type: 'bearer', token: 'a-secret-of-the-server' } };
    const agent = await createScriptedAgent(tenant, {
      tools: {
        runtimeTools: [runtimeTool],
        mcpServers: [server],
        subagentConfig: { toolPool, allowNesting: true },
        codeModeConfig: { toolPool },
      },
    });
    const code = 'return [await tools.look_up({}), await tools.m__work({})]';
    const inner = scripted(calls(['look_up'], ['m__work']), done);
    const task = scripted(
      calls(['look_up'], ['m__work'], ['spawn_agent', { task: inner, tools: toolPool }]),
      done,
    );
    const script = scripted(calls(['run_code', { code }], ['spawn_agent', { task, tools: toolPool }]), done);
    const { executionId } = await answered(run(tenant, agent.id, script));
    expect(await resultsOf(tenant, agent.id, executionId)).toEqual([{ result: ['found', 'worked'] }, 'done']);
    const child = await childOf(tenant, agent.id, executionId);
    expect(await resultsOf(tenant, agent.id, child)).toEqual(['found', 'worked', 'done']);
    const nested = await childOf(tenant, agent.id, child);
    expect(await resultsOf(tenant, agent.id, nested)).toEqual(['found', 'worked']);
    const details = await tenant.call('GET', `/v1/agents/${agent.id}/executions/${child}`);
    expect(JSON.stringify(details.body)).not.toContain('a-secret-of-the-server');
  },
);

test('approvals hold for them in code and in spawned agents', async () => {
  const tenant = await newTenant();
  const toolPool = ['look up', 'mcp:m:work'];
  const agent = await createScriptedAgent(tenant, {
    tools: {
      runtimeTools: [runtimeTool],
      mcpServers: [mcpServer()],
      approval: { require: ['look up', 'm__work'] },
      subagentConfig: { toolPool },
      codeModeConfig: { toolPool },
    },
  });
  const code = 'return typeof tools.look_up + typeof tools.m__work';
  const task = scripted(calls(['m__work']), done);
  const script = scripted(calls(['run_code', { code }], ['spawn_agent', { task, tools: toolPool }]), done);
  const { status, pausedReason } = await answered(run(tenant, agent.id, script));
  expect(status).toBe('paused');
  expect(pausedReason.awaits).toMatchObject([{ awaitReason: 'approval', toolName: 'spawn_agent' }]);
});

test('the model learns of a tool in a pool that its server does not have', async () => {
  const tenant = await newTenant();
  const tools = { mcpServers: [mcpServer()], codeModeConfig: { toolPool: ['mcp:m:missing'] } };
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/mirror', tools });
  const { result } = await answered(run(tenant, agent.id, 'hello'));
  expect(JSON.parse(result).messages[0].content).toContain(
    'The MCP server "m" has no tool missing, which a tool pool names',
  );
});

test.each(['subagentConfig', 'codeModeConfig'])(
  'a name in %s that stands for nothing is refused',
  async (member) => {
    const tenant = await newTenant();
    const toolPool = ['look up', 'nothing', 'mcp:m:work', 'mcp:m:hidden', 'mcp:other:work'];
    const mcpServers = [{ ...mcpServer(), allowedTools: ['work'] }];
    const tools = { runtimeTools: [runtimeTool], mcpServers, [member]: { toolPool } };
    const body = { name: 'Agent', config: { tools } };
    const { status, body: answer } = await tenant.call('POST', '/v1/agents', { body });
    expect(status).toBe(400);
    const { details } = answer as { details: { path: string; message: string }[] };
    expect(details.map(({ path }) => path)).toEqual(
      [1, 3, 4].map((n) => `config.tools.${member}.toolPool.${n}`),
    );
    expect(details[0]?.message).toContain('The agent has no tool "nothing"');
  },
);
