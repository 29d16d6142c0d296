import { expect, test } from 'vitest';
import {
  answered,
  approve,
  calls,
  createScriptedAgent,
  followed,
  resumeAgentRun,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import type { ScriptedTurn } from '../../support/models/scripted-model.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const calculator = { toolIds: ['builtin:calculator'] };
const sum: [string, object] = ['calculator', { expression: '1 + 1' }];
const done: ScriptedTurn = { text: 'done' };

/** An agent with another one as its tool `ask`. */
const asking = (tenant: Tenant, inner: { id: string }, config: object = {}) =>
  createScriptedAgent(tenant, config, { capabilities: [{ toolName: 'ask', subAgentId: inner.id }] });

const childrenOf = async (tenant: Tenant, agentId: string, executionId: string) =>
  (
    await expectStatus(
      200,
      tenant.call('GET', `/v1/agents/${agentId}/executions?parentExecutionId=${executionId}`),
    )
  ).data;
const callsOf = async (tenant: Tenant, agentId: string, executionId: string) =>
  (await expectStatus(200, tenant.call('GET', `/v1/agents/${agentId}/executions/${executionId}/tool-calls`)))
    .toolCalls;

test('agents run each other five levels deep; the call of the sixth fails, and all others go on', async () => {
  const tenant = await newTenant();
  let agent = await createScriptedAgent(tenant);
  let script: ScriptedTurn[] = [{ text: 'the bottom' }];
  for (let level = 6; level >= 1; level--) {
    agent = await asking(tenant, agent);
    script = [calls(['ask', { message: scripted(...script) }]), { text: `level ${level}` }];
  }
  let { executionId, result } = await answered(run(tenant, agent.id, scripted(...script)));
  expect(result).toBe('level 1');
  const found: string[] = [];
  for (;;) {
    const [call] = await callsOf(tenant, agent.id, executionId);
    found.push(call.errorMessage ?? call.status);
    const [child] = await childrenOf(tenant, agent.id, executionId);
    if (!child) break;
    executionId = child.id;
  }
  expect(found).toEqual([
    ...Array(5).fill('completed'),
    expect.stringContaining('Agents run each other at most 5 levels deep'),
  ]);
});

test('a sub-agent that would need its caller fails closed: the call does not run', async () => {
  const tenant = await newTenant();
  const { id: toolId } = await createTool(tenant, {
    name: 'thermometer',
    description: 'Reads it',
    toolType: 'local',
    config: {},
    parametersSchema: { type: 'object' },
  });
  const inner = await createScriptedAgent(tenant, {
    tools: { toolIds: [toolId] },
  });
  const agent = await asking(tenant, inner);
  const ask = (name: string): [string, object] => ['ask', { message: scripted(calls([name]), done) }];
  const script = scripted(calls(ask('thermometer'), ask('thermometer')), { text: 'without' });
  const { executionId, ...outcome } = await answered(run(tenant, agent.id, script));
  expect(outcome).toMatchObject({ status: 'completed', result: 'without', iterations: 2 });
  const made = await callsOf(tenant, agent.id, executionId);
  expect(made.map(({ errorMessage }: { errorMessage: string }) => errorMessage)).toEqual([
    expect.stringContaining('A sub-agent cannot wait for its caller to execute the tool thermometer'),
    expect.stringContaining('A sub-agent cannot wait for its caller to execute the tool thermometer'),
  ]);
  const children = await childrenOf(tenant, agent.id, executionId);
  expect(children).toHaveLength(2);
  for (const child of children) {
    expect(child).toMatchObject({ status: 'failed', stopReason: 'error', agentId: inner.id });
    expect(await callsOf(tenant, agent.id, child.id)).toMatchObject([{ status: 'pending' }]);
    const events = await followed(tenant, agent.id, child.id);
    expect(events.at(-1)).toMatchObject({ type: 'execution_complete', success: false });
    const { awaits = [] } = { awaits: events.filter(({ type }) => type === 'await') };
    const body = { executionId: child.id };
    for (const { approvalId, toolCallId } of awaits) {
      const answer = approvalId
        ? approve(tenant, inner.id, { ...body, approvalId, decision: 'approved' })
        : resumeAgentRun(tenant, inner.id, { ...body, toolOutputs: { [toolCallId]: 1 } });
      expect((await answer).status).toBe(409);
    }
  }
});

test('a stored sub-agent that the maxCost of its parent does not pay for is not asked; the parent learns why', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const inner = await createScriptedAgent(tenant, { model: await pricedModel(tenant, { output: 10 }) });
  const agent = await asking(tenant, inner, { model, loopConfig: { maxTurns: 5, maxCost: 0.01 } });
  const script = scripted(calls(['ask', { message: scripted({ text: 'dear' }) }]), done);
  const { executionId, ...outcome } = await answered(run(tenant, agent.id, script));
  expect(outcome).toMatchObject({ status: 'completed', stopReason: 'end_turn', iterations: 2 });
  const [child] = await childrenOf(tenant, agent.id, executionId);
  expect(child).toMatchObject({ stopReason: 'max_cost', iterations: 0, totalCost: '0' });
  const [call] = await callsOf(tenant, agent.id, executionId);
  expect(call.errorMessage).toContain('The maxCost of the run is reached');
});

const limited = {
  ...calculator,
  perToolLimits: { calculator: { maxCalls: 1 } },
  subagentConfig: { toolPool: ['builtin:calculator'] },
  codeModeConfig: { toolPool: ['builtin:calculator'] },
};
const code =
  'return [await tools.calculator({ expression: "1" }), await tools.calculator({ expression: "2" })]';
const spawn: [string, object] = [
  'spawn_agent',
  { task: scripted(calls(sum), calls(sum), done), tools: ['builtin:calculator'] },
];

test('the limits of single tools hold in code and in spawned agents', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { tools: limited });
  const { executionId } = await answered(
    run(tenant, agent.id, scripted(calls(['run_code', { code }]), calls(spawn), done)),
  );
  const [ofCode] = await callsOf(tenant, agent.id, executionId);
  expect(ofCode.errorMessage).toContain('The limit of 1 calls of calculator is reached');
  const [child] = await childrenOf(tenant, agent.id, executionId);
  const made = await callsOf(tenant, agent.id, child.id);
  expect(made).toMatchObject([
    { status: 'completed' },
    { status: 'failed', errorMessage: expect.stringContaining('The limit of 1 calls of calculator') },
  ]);
});

test('the limit of a capability also holds where code and spawned agents reach its tool by another name', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  const toolPool = [id];
  const perToolLimits = { twice: { maxCalls: 1 } };
  const agent = await createScriptedAgent(
    tenant,
    { tools: { perToolLimits, subagentConfig: { toolPool }, codeModeConfig: { toolPool } } },
    { capabilities: [{ toolName: 'twice', toolId: id }] },
  );
  const double: [string, object] = ['Double', { n: 1 }];
  const code = 'await tools.Double({ n: 1 }); await tools.Double({ n: 2 });';
  const task = scripted(calls(double, double), done);
  const script = scripted(
    calls(['run_code', { code }]),
    calls(['spawn_agent', { task, tools: toolPool }]),
    done,
  );
  const { executionId } = await answered(run(tenant, agent.id, script));
  const [ofCode] = await callsOf(tenant, agent.id, executionId);
  expect(ofCode.errorMessage).toContain('The limit of 1 calls of Double is reached');
  const [child] = await childrenOf(tenant, agent.id, executionId);
  expect(await callsOf(tenant, agent.id, child.id)).toMatchObject([
    { status: 'completed' },
    { status: 'failed', errorMessage: expect.stringContaining('The limit of 1 calls of Double') },
  ]);
});

test('a spawned agent may cost what is left of the maxCost of the one that spawns it', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const dear = await pricedModel(tenant, { output: 10 });
  const agent = await createScriptedAgent(tenant, {
    model,
    loopConfig: { maxTurns: 5, maxCost: 0.01 },
    tools: { ...limited, subagentConfig: { ...limited.subagentConfig, defaultModel: dear } },
  });
  const { executionId, ...outcome } = await answered(run(tenant, agent.id, scripted(calls(spawn), done)));
  expect(outcome).toMatchObject({ status: 'completed', stopReason: 'end_turn', result: 'done' });
  const [child] = await childrenOf(tenant, agent.id, executionId);
  expect(child).toMatchObject({ stopReason: 'max_cost', iterations: 0, totalCost: '0' });
});
