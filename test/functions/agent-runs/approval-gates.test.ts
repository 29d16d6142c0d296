import { expect, test } from 'vitest';
import {
  answered,
  approve,
  calls,
  createScriptedAgent,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const wipeTool = (tenant: Tenant) =>
  createTool(tenant, {
    name: 'wipe data!',
    description: 'Wipes',
    toolType: 'custom',
    parametersSchema: { type: 'object', properties: { account: { type: 'string' } } },
    config: { code: 'return { wiped: input.account ?? "all" };' },
  });

const resultsOf = async (tenant: Tenant, agentId: string, executionId: string) => {
  const path = `/v1/agents/${agentId}/executions/${executionId}/tool-calls`;
  const { toolCalls } = (await tenant.call('GET', path)).body as { toolCalls: { id: string }[] };
  return Promise.all(
    toolCalls.map(async ({ id }) => JSON.stringify((await tenant.call('GET', `${path}/${id}`)).body)),
  );
};

test('a tool that needs an approval is not reached through code or a spawned agent', async () => {
  const tenant = await newTenant();
  const { id } = await wipeTool(tenant);
  const agent = await createScriptedAgent(
    tenant,
    {
      tools: {
        approval: { require: ['nuke'] },
        subagentConfig: { toolPool: [id] },
        codeModeConfig: { toolPool: [id] },
      },
    },
    { capabilities: [{ toolId: id, toolName: 'nuke', toolDescription: 'Wipes' }] },
  );
  const task = scripted(calls(['wipe_data']), { text: 'spawned' });
  const script = scripted(
    calls(['spawn_agent', { task, tools: [id] }], ['run_code', { code: 'return await tools.wipe_data({})' }]),
    { text: 'done' },
  );
  const { executionId, pausedReason } = await answered(run(tenant, agent.id, script));
  const [{ approvalId }] = pausedReason.awaits;
  const decision = { executionId, approvalId, decision: 'denied' };
  expect(await expectStatus(200, approve(tenant, agent.id, decision))).toMatchObject({ result: 'done' });
  const results = await resultsOf(tenant, agent.id, executionId);
  expect(results).toHaveLength(2);
  expect(results.filter((each) => each.includes('"wiped"'))).toEqual([]);
});

test.each([
  ['its own name', 'wipe data!', 'wipe_data'],
  ['the name that the model gets', 'wipe_data', 'wipe_data'],
  ['its own name, beside a capability', 'wipe data!', 'nuke'],
  ['its id', 'id', 'wipe_data'],
  ['a name that two tools have', 'same', 'same_2'],
])('an approval is needed for a tool that `require` lists by %s', async (_, required, called) => {
  const tenant = await newTenant();
  const { id } = await wipeTool(tenant);
  const capability = (toolName: string) => ({ toolId: id, toolName, toolDescription: 'Wipes' });
  const { id: same } = await createTool(tenant, {
    name: 'same',
    description: 'Says yes',
    toolType: 'custom',
    parametersSchema: { type: 'object' },
    config: { code: 'return "yes";' },
  });
  const agent = await createScriptedAgent(
    tenant,
    { tools: { toolIds: [id, same], approval: { require: [required === 'id' ? id : required] } } },
    { capabilities: [capability('nuke'), capability('same')] },
  );
  const paused = await answered(run(tenant, agent.id, scripted(calls([called]), { text: 'done' })));
  expect(paused).toMatchObject({ status: 'paused', pausedReason: { awaits: [{ toolName: called }] } });
});

test('fixed arguments hold for code and for spawned agents too', async () => {
  const tenant = await newTenant();
  const { id } = await wipeTool(tenant);
  const agent = await createScriptedAgent(tenant, {
    tools: {
      toolConfigs: { [id]: { account: 'fixed' } },
      subagentConfig: { toolPool: [id] },
      codeModeConfig: { toolPool: [id] },
    },
  });
  const code = 'return await tools.wipe_data({ account: "chosen" })';
  const task = scripted(calls(['wipe_data', { account: 'chosen' }]), { text: 'spawned' });
  const script = scripted(calls(['run_code', { code }], ['spawn_agent', { task, tools: [id] }]), {
    text: 'done',
  });
  const { executionId } = await answered(run(tenant, agent.id, script));
  const [ofCode] = await resultsOf(tenant, agent.id, executionId);
  expect(ofCode).toContain('"wiped":"fixed"');
  const query = `?parentExecutionId=${executionId}`;
  const children = await tenant.call('GET', `/v1/agents/${agent.id}/executions${query}`);
  const [child] = (children.body as { data: { executionId: string }[] }).data;
  expect(await resultsOf(tenant, agent.id, child?.executionId ?? '')).toEqual([
    expect.stringContaining('"wiped":"fixed"'),
  ]);
});

test('an approval is decided once a request: a denial is not overruled by the next entry', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], approval: { require: true } },
  });
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: 'done' });
  const { executionId, pausedReason } = await answered(run(tenant, agent.id, script));
  const [{ approvalId }] = pausedReason.awaits;
  const decisions = ['denied', 'approved'].map((decision) => ({ approvalId, decision }));
  const body = { executionId, continuation: { decisions }, streamResponse: false };
  expect((await tenant.call('POST', '/v1/dispatch/continue', { body })).status).toBe(400);
});
