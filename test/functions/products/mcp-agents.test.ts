import { expect, test } from 'vitest';
import { agentLevelsMax, depthHeader } from '../../../shared/core/agent-depth.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { stack, type Tenant } from '../../support/stack/stack.ts';
import { connectMcp, mcpSurface, postMcp } from '../../support/surfaces/mcp-surface.ts';
import { addCapability, addItem } from '../../support/surfaces/products.ts';

type World = Awaited<ReturnType<typeof mcpSurface>>;

/** The config of an agent that has the tools of the surface, as `own__…`. */
const withTools = ({ path, key }: World) => ({
  tools: {
    mcpServers: [{ id: 'own', url: `${stack().url}${path}/mcp`, auth: { type: 'bearer', token: key } }],
  },
});

/** Makes an agent a tool of the surface. */
async function expose({ tenant, productId, surface }: World, capabilityName: string, agentId: string) {
  const { id } = await expectStatus(201, addCapability(tenant, productId, { capabilityName, agentId }));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
}

const executionsOf = async (tenant: Tenant, agentId: string) =>
  (await expectStatus(200, tenant.call('GET', `/v1/agents/${agentId}/executions`))).data;

/** The tool calls of a run, in full. */
async function toolCallsOf(tenant: Tenant, agentId: string, executionId: string) {
  const of = `/v1/agents/${agentId}/executions/${executionId}/tool-calls`;
  const { toolCalls } = await expectStatus(200, tenant.call('GET', of));
  const ids: string[] = toolCalls.map(({ id }: { id: string }) => id);
  return Promise.all(ids.map((id) => expectStatus(200, tenant.call('GET', `${of}/${id}`))));
}

test('a tool that nobody described is described by its agent', async () => {
  const world = await mcpSurface();
  const agent = await createScriptedAgent(world.tenant, {}, { description: 'Answers travellers' });
  await expose(world, 'Ask', agent.id);
  const { tools } = await (await connectMcp(world.path, world.key)).listTools();
  expect(tools.find(({ name }) => name === 'ask')).toMatchObject({ description: 'Answers travellers' });
});

test('an agent calls a flow, and another agent, through an mcp surface of the same stack', async () => {
  const world = await mcpSurface();
  const { tenant } = world;
  const helper = await createScriptedAgent(tenant);
  await expose(world, 'Ask helper', helper.id);
  const agent = await createScriptedAgent(tenant, withTools(world));
  const message = scripted({ text: 'the answer of the helper' });
  const both = calls(['own__greet', { person: 'Ada' }], ['own__ask-helper', { message }]);
  const { executionId } = await answered(run(tenant, agent.id, scripted(both, { text: 'done' })));
  const results = await toolCallsOf(tenant, agent.id, executionId);
  // They run at once.
  expect(new Map(results.map(({ toolName, ...call }) => [toolName, call.outputResult ?? call]))).toEqual(
    new Map([
      ['own__greet', 'Hello Ada'],
      ['own__ask-helper', 'the answer of the helper'],
    ]),
  );
  expect(await executionsOf(tenant, helper.id)).toMatchObject([{ surfaceType: 'mcp', status: 'completed' }]);
});

test('two agents that call each other over MCP are stopped at the limit of levels, with an error that says so', async () => {
  const world = await mcpSurface();
  const { tenant } = world;
  const [ping, pong] = [await createScriptedAgent(tenant), await createScriptedAgent(tenant)];
  await expose(world, 'Ping', ping.id);
  await expose(world, 'Pong', pong.id);
  for (const { id } of [ping, pong]) {
    await expectStatus(200, tenant.call('PUT', `/v1/agents/${id}`, { body: { config: withTools(world) } }));
  }
  // Each level calls the other agent; without a limit there would be ten.
  const levels = (left: number): string =>
    left === 0
      ? scripted({ text: 'the end' })
      : scripted(calls([`own__${left % 2 ? 'ping' : 'pong'}`, { message: levels(left - 1) }]), {
          text: 'up',
        });
  await answered(run(tenant, ping.id, levels(10)));
  const runs = await Promise.all(
    [ping.id, pong.id].map(async (agentId) =>
      (await executionsOf(tenant, agentId)).map(({ id }: { id: string }) => [agentId, id] as const),
    ),
  );
  expect(runs.flat()).toHaveLength(agentLevelsMax + 1);
  const called = await Promise.all(runs.flat().map(([agentId, id]) => toolCallsOf(tenant, agentId, id)));
  const failed = called.flat().flatMap(({ errorMessage }) => errorMessage ?? []);
  expect(failed).toEqual([expect.stringContaining(`at most ${agentLevelsMax} levels deep`)]);
}, 60_000);

test('a forged depth gains nothing: it lowers what is left, and other texts count as none', async () => {
  const { path, key } = await mcpSurface();
  const params = { name: 'greet', arguments: { person: 'Ada' } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const answerFor = async (depth: string) => (await postMcp(key, path, call, { [depthHeader]: depth })).text;
  for (const depth of ['-1', 'x', '0', `${agentLevelsMax}`])
    expect(await answerFor(depth)).toContain('Hello Ada');
  const refused = await answerFor(`${agentLevelsMax + 1}`);
  expect(refused).toContain('levels deep');
  expect(refused).toContain('"isError":true');
});
