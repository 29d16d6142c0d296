import { expect, test } from 'vitest';
import { sweepRun } from '../../../shared/execution/agent-runs/sweep-runs.ts';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const ask = (config: object = {}) => ({
  type: 'approval',
  id: 'ask',
  name: 'Ask',
  config: { question: 'Pay {{ amount }}?', outputVariable: 'said', ...config },
});

const steps = (config: object = {}) => [
  template('Before {{ amount }}', 'before'),
  ask(config),
  template('{{ before }}, then {{ said.choice }}'),
];

async function agentWithFlow(tenant: Tenant, flowSteps: object[] = steps(), more: object = {}) {
  const flow = await publishedFlow(tenant, flowSteps);
  const tool = await createTool(tenant, {
    name: 'pay',
    description: 'Pays',
    toolType: 'flow',
    config: { flowId: flow.id },
    parametersSchema: { type: 'object', properties: { amount: { type: 'number' } } },
  });
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: [tool.id], ...more } });
  return { flowId: flow.id as string, agentId: agent.id as string };
}

const listed = async ({ call }: Tenant) => (await expectStatus(200, call('GET', '/v1/waits'))).data;
const readRun = ({ call }: Tenant, id: string) => expectStatus(200, call('GET', `/v1/runs/${id}`));
const answer = ({ call }: Tenant, id: string, body: object = { choice: 'approve' }) =>
  expectStatus(200, call('POST', `/v1/waits/${id}/answer`, { body }));
const statusBecomes = (tenant: Tenant, id: string, status: string) =>
  eventually(async () => expect((await readRun(tenant, id)).status).toBe(status));

const payAndSay = scripted(calls(['pay', { amount: 40 }]), { text: 'paid' });

async function toolOutputs({ call }: Tenant, agentId: string, executionId: string) {
  const path = `/v1/agents/${agentId}/executions/${executionId}/tool-calls`;
  const { toolCalls } = await expectStatus(200, call('GET', path));
  return Promise.all(
    toolCalls.map(({ id }: { id: string }) => expectStatus(200, call('GET', `${path}/${id}`))),
  );
}

test('a flow that an agent calls waits for a person, the agent with it, and both go on after the answer', async () => {
  const tenant = await newTenant();
  const { flowId, agentId } = await agentWithFlow(tenant);
  const { executionId, status, pausedReason } = await answered(run(tenant, agentId, payAndSay));
  expect(status).toBe('paused');
  const [wait, ...others] = await listed(tenant);
  expect(others).toEqual([]);
  expect(pausedReason.awaits).toMatchObject([{ awaitReason: 'wait', toolName: 'pay', runId: wait.runId }]);
  expect(wait).toMatchObject({ kind: 'approval', question: 'Pay 40?', flowId, rootRunId: executionId });
  const trace = () => expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}/trace`));
  expect(JSON.stringify(await trace())).toMatch(/"name":"execute_tool pay"[^}]*"status":"waiting"/);
  expect(await readRun(tenant, wait.runId)).toMatchObject({
    kind: 'flow',
    status: 'paused',
    parentRunId: executionId,
  });
  await answer(tenant, wait.id);
  await statusBecomes(tenant, executionId, 'completed');
  expect(await toolOutputs(tenant, agentId, executionId)).toMatchObject([
    { status: 'completed', outputResult: 'Before 40, then approve' },
  ]);
  expect(await readRun(tenant, wait.runId)).toMatchObject({ status: 'completed', parentRunId: executionId });
  expect(JSON.stringify(await trace())).not.toContain('"status":"waiting"');
  expect(await listed(tenant)).toEqual([]);
});

test('two flows in one turn wait side by side; the agent goes on after the second answer', async () => {
  const tenant = await newTenant();
  const { agentId } = await agentWithFlow(tenant);
  const both = scripted(calls(['pay', { amount: 1 }], ['pay', { amount: 2 }]), { text: 'both' });
  const { executionId } = await expectStatus(
    202,
    run(tenant, agentId, both, { options: { background: true } }),
  );
  const waits = await eventually(async () => {
    const open = await listed(tenant);
    expect(open).toHaveLength(2);
    return open;
  });
  await answer(tenant, waits[0].id);
  await statusBecomes(tenant, waits[0].runId, 'completed');
  expect((await readRun(tenant, executionId)).status).toBe('paused');
  await answer(tenant, waits[1].id, { choice: 'reject' });
  await statusBecomes(tenant, executionId, 'completed');
  const outputs = await toolOutputs(tenant, agentId, executionId);
  expect(outputs.map(({ outputResult }) => String(outputResult).slice(8)).toSorted()).toEqual([
    ', then approve',
    ', then reject',
  ]);
});

test('the agent is two levels up, and the flow fails after the answer: the inner agent gets the reason', async () => {
  const tenant = await newTenant();
  const failing = [
    ask(),
    { type: 'transform-data', name: 'Break', config: { script: 'throw new Error("Empty")' } },
  ];
  const { agentId } = await agentWithFlow(tenant, failing);
  const tool = await createTool(tenant, {
    name: 'ask',
    description: 'Asks',
    toolType: 'subagent',
    config: { agentId },
    parametersSchema: { type: 'object', properties: { message: { type: 'string' } } },
  });
  const outer = await createScriptedAgent(tenant, { tools: { toolIds: [tool.id] } });
  const script = scripted(calls(['ask', { message: payAndSay }]), { text: 'over' });
  const { executionId, status } = await answered(run(tenant, outer.id, script));
  expect(status).toBe('paused');
  const [wait] = await listed(tenant);
  expect(wait.rootRunId).toBe(executionId);
  await answer(tenant, wait.id);
  await statusBecomes(tenant, executionId, 'completed');
  const { data } = await expectStatus(200, tenant.call('GET', '/v1/runs?root=false'));
  const inner = data.find(
    (row: { kind: string; parentRunId?: string }) => row.kind === 'agent' && row.parentRunId,
  );
  const [called] = await toolOutputs(tenant, agentId, inner.id);
  expect(JSON.stringify(called)).toContain('Empty');
  expect(called.status).not.toBe('completed');
});

test('cancelled, the agent takes the flow and its question with it', async () => {
  const tenant = await newTenant();
  const { agentId } = await agentWithFlow(tenant);
  const { executionId } = await answered(run(tenant, agentId, payAndSay));
  const [wait] = await listed(tenant);
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/cancel`));
  await statusBecomes(tenant, wait.runId, 'cancelled');
  expect(await listed(tenant)).toEqual([]);
  await expectStatus(
    409,
    tenant.call('POST', `/v1/waits/${wait.id}/answer`, { body: { choice: 'approve' } }),
  );
});

/** An agent that calls a flow that waits and, beside it, one that takes three seconds. It has reached the wait. */
async function besideASlowOne(tenant: Tenant, options: object = {}) {
  const { agentId } = await agentWithFlow(tenant);
  const slow = await publishedFlow(tenant, [
    {
      type: 'prompt',
      name: 'Think',
      config: { model: 'generic-openai/scripted-slow', userPrompt: 'Think' },
    },
  ]);
  const tool = await createTool(tenant, {
    name: 'think',
    description: 'Thinks',
    toolType: 'flow',
    config: { flowId: slow.id },
    parametersSchema: { type: 'object', properties: {} },
  });
  const { config } = await expectStatus(200, tenant.call('GET', `/v1/agents/${agentId}`));
  const body = { config: { ...config, tools: { toolIds: [...config.tools.toolIds, tool.id] } } };
  await expectStatus(200, tenant.call('PUT', `/v1/agents/${agentId}`, { body }));
  const script = scripted(calls(['pay', { amount: 40 }], ['think']), { text: 'paid' });
  const background = { options: { background: true, ...options } };
  const { executionId } = await expectStatus(202, run(tenant, agentId, script, background));
  const wait = await eventually(async () => {
    const [open] = await listed(tenant);
    expect(open).toBeDefined();
    return open;
  });
  expect((await readRun(tenant, executionId)).status).toBe('running');
  return { agentId, executionId, wait };
}

test('cancelled while a call beside it runs, the agent takes the flow that waits with it', async () => {
  const tenant = await newTenant();
  const { executionId, wait } = await besideASlowOne(tenant);
  await expectStatus(200, tenant.call('POST', `/v1/runs/${executionId}/cancel`));
  await statusBecomes(tenant, wait.runId, 'cancelled');
  expect((await readRun(tenant, wait.runId)).error.message).toBe('The run was cancelled');
});

test('past its time limit while a call beside it runs, the agent takes the flow that waits with it', async () => {
  const tenant = await newTenant();
  const { executionId, wait } = await besideASlowOne(tenant, { timeoutMs: 1_500 });
  await statusBecomes(tenant, executionId, 'failed');
  await statusBecomes(tenant, wait.runId, 'cancelled');
});

test('taken over while a call beside it ran, the agent goes on with the flow that waits', async () => {
  const tenant = await newTenant();
  const { agentId, executionId, wait } = await besideASlowOne(tenant);
  const later = new Date(Date.now() + 10 * 60_000);
  await sweepRun(countingRuntime().scopeOf(tenant.tenant), executionId, { now: later, atStart: false });
  const [paid, thought] = await eventually(async () => {
    expect((await readRun(tenant, executionId)).status).toBe('paused');
    return toolOutputs(tenant, agentId, executionId);
  });
  expect([paid.status, thought.errorMessage]).toEqual(['pending', expect.stringContaining('Unknown result')]);
  await answer(tenant, wait.id);
  await statusBecomes(tenant, executionId, 'completed');
  const [{ outputResult }] = await toolOutputs(tenant, agentId, executionId);
  expect(outputResult).toBe('Before 40, then approve');
});

test('the trace of the agent leads to the run of the flow', async () => {
  const tenant = await newTenant();
  const { agentId, flowId } = await agentWithFlow(tenant);
  const { executionId } = await answered(run(tenant, agentId, payAndSay));
  const [wait] = await listed(tenant);
  await answer(tenant, wait.id);
  await statusBecomes(tenant, executionId, 'completed');
  const { spans } = await expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}/trace`));
  const attributes = { 'flow.id': flowId, 'run.id': wait.runId };
  expect(spans).toContainEqual(expect.objectContaining({ attributes }));
});

test('a cancelled flow is a failed call, with which the agent goes on', async () => {
  const tenant = await newTenant();
  const { agentId } = await agentWithFlow(tenant);
  const { executionId } = await answered(run(tenant, agentId, payAndSay));
  const [wait] = await listed(tenant);
  await expectStatus(200, tenant.call('POST', `/v1/runs/${wait.runId}/cancel`));
  await statusBecomes(tenant, executionId, 'completed');
  expect(JSON.stringify(await toolOutputs(tenant, agentId, executionId))).toContain('it was cancelled');
});

test('a flow that is deleted while it waits is a failed call, with which the agent goes on', async () => {
  const tenant = await newTenant();
  const { flowId, agentId } = await agentWithFlow(tenant);
  const { executionId } = await answered(run(tenant, agentId, payAndSay));
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flowId}`));
  await statusBecomes(tenant, executionId, 'completed');
  const [called] = await toolOutputs(tenant, agentId, executionId);
  expect(called).toMatchObject({ status: 'failed', errorMessage: expect.stringContaining(flowId) });
  expect(await listed(tenant)).toEqual([]);
});

test('nothing before the wait is done again, and the wait is not opened twice', async () => {
  const tenant = await newTenant();
  const { agentId } = await agentWithFlow(tenant, [
    {
      type: 'transform-data',
      name: 'Draw',
      config: { script: 'return Math.random();', outputVariable: 'before' },
    },
    ask({ question: '{{ before }}' }),
    template('{{ before }} {{ said.choice }}'),
  ]);
  const { executionId } = await answered(run(tenant, agentId, payAndSay));
  const scope = countingRuntime().scopeOf(tenant.tenant);
  await sweepRun(scope, executionId, { now: new Date(Date.now() + 10 * 60_000), atStart: false });
  const [wait, ...others] = await listed(tenant);
  expect(others).toEqual([]);
  expect((await readRun(tenant, executionId)).status).toBe('paused');
  await answer(tenant, wait.id);
  await statusBecomes(tenant, executionId, 'completed');
  expect(await toolOutputs(tenant, agentId, executionId)).toMatchObject([
    { outputResult: `${wait.question} approve` },
  ]);
});

test('in an agent that a flow runs, nothing can wait: the call fails, and nobody is asked', async () => {
  const tenant = await newTenant();
  const { agentId } = await agentWithFlow(tenant);
  const outer = await publishedFlow(tenant, [
    { type: 'execute-agent', id: 'agent', name: 'Agent', config: { agentId, message: payAndSay } },
  ]);
  const body = { flow: { id: outer.id }, options: { streamResponse: false } };
  await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(await listed(tenant)).toEqual([]);
});
