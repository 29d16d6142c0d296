import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { agentRunPartition } from '../../../shared/execution/agent-runs/agent-execution.ts';
import {
  approve,
  calls,
  createScriptedAgent,
  followed,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { createFlow, expectStatus } from '../../support/flows/flows.ts';
import { newConfig } from '../../support/models/model-configs.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { openEvents } from '../../support/stack/sse.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const sum: [string, object] = ['calculator', { expression: '1 + 1' }];
const gated = { toolIds: ['builtin:calculator'], approval: { require: ['calculator'] } };
const remove = (tenant: Tenant, path: string) => tenant.call('DELETE', `/v1/${path}`, { body: {} });

/** An agent in the background that waits for an approval. */
async function waiting(tenant: Tenant, agentId: string, ...turns: Parameters<typeof scripted>) {
  const script = scripted(calls(sum), ...turns);
  const started = run(tenant, agentId, script, { options: { background: true } });
  const { executionId } = await expectStatus(202, started);
  const { approvalId } = await eventually(async () => {
    const last = (await followed(tenant, agentId, executionId)).at(-1);
    expect(last?.type).toBe('await');
    return last as { approvalId?: string };
  });
  return { executionId, approvalId };
}

/** Continues a run that waits, to its end. */
async function ended(tenant: Tenant, agentId: string, wait: Awaited<ReturnType<typeof waiting>>) {
  await expectStatus(200, approve(tenant, agentId, { ...wait, decision: 'approved' }));
  return over(tenant, `/v1/agents/${agentId}/executions/${wait.executionId}`);
}

/** An execution when it is over, and the ends of its calls. */
async function over(tenant: Tenant, path: string) {
  const execution = await eventually(async () => {
    const shown = await expectStatus(200, tenant.call('GET', path));
    expect(shown.status).not.toMatch(/running|paused/);
    return shown;
  });
  const { toolCalls } = await expectStatus(200, tenant.call('GET', `${path}/tool-calls`));
  const ends = toolCalls.map(
    (call: { status: string; errorMessage: string | null }) => call.errorMessage ?? call.status,
  );
  return { ...execution, ends };
}

test.concurrent('a flow that is deleted while a run in the background waits: its call fails, the run goes on', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const capabilities = [{ toolName: 'greet', flowId: flow.id }];
  const agent = await createScriptedAgent(tenant, { tools: gated }, { capabilities });
  const wait = await waiting(tenant, agent.id, calls(['greet']), { text: 'without it' });
  await expectStatus(204, remove(tenant, `flows/${flow.id}`));
  expect(await ended(tenant, agent.id, wait)).toMatchObject({
    status: 'completed',
    stopReason: 'end_turn',
    finalOutput: 'without it',
    iterations: 3,
    ends: ['completed', expect.stringMatching(/no flow|Flow not found/)],
  });
});

test.concurrent('a sub-agent that is deleted: its call fails, the run goes on', async () => {
  const tenant = await newTenant();
  const inner = await createScriptedAgent(tenant);
  const capabilities = [{ toolName: 'ask', subAgentId: inner.id }];
  const agent = await createScriptedAgent(tenant, { tools: gated }, { capabilities });
  const wait = await waiting(tenant, agent.id, calls(['ask', { message: 'x' }]), { text: 'without it' });
  await expectStatus(200, remove(tenant, `agents/${inner.id}`));
  expect(await ended(tenant, agent.id, wait)).toMatchObject({
    status: 'completed',
    stopReason: 'end_turn',
    finalOutput: 'without it',
    iterations: 3,
    ends: ['completed', expect.stringContaining('Agent not found')],
  });
});

test.concurrent('a tool that is deleted: the run fails, and says which is missing', async () => {
  const tenant = await newTenant();
  const { id } = await createTool(tenant);
  const agent = await createScriptedAgent(tenant, { tools: { ...gated, toolIds: [...gated.toolIds, id] } });
  const wait = await waiting(tenant, agent.id, calls(['Double', { n: 2 }]), { text: 'x' });
  await expectStatus(200, remove(tenant, `tools/${id}`));
  expect(await ended(tenant, agent.id, wait)).toMatchObject({
    status: 'failed',
    stopReason: 'error',
    iterations: 1,
    ends: ['pending'],
    error: `There is no tool ${id}; create it, or remove the reference to it`,
  });
});

test.concurrent('a tool and a flow that are deleted while a process runs the agent', async () => {
  const tenant = await newTenant();
  const code = 'const end = Date.now() + 1000; while (Date.now() < end); return "worked";';
  const tool = await createTool(tenant, { config: { code } });
  const flow = await createFlow(tenant);
  const capabilities = [{ toolName: 'greet', flowId: flow.id }];
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: [tool.id] } }, { capabilities });
  const script = scripted(calls(['Double']), calls(['Double'], ['greet']), { text: 'done' });
  const started = run(tenant, agent.id, script, { options: { background: true } });
  const { executionId } = await expectStatus(202, started);
  const path = `/v1/agents/${agent.id}/executions/${executionId}`;
  await eventually(async () =>
    expect((await tenant.call('GET', `${path}/tool-calls`)).body.toolCalls).toHaveLength(1),
  );
  await expectStatus(200, remove(tenant, `tools/${tool.id}`));
  await expectStatus(204, remove(tenant, `flows/${flow.id}`));
  const execution = await over(tenant, path);
  // The process goes on with the tools that it opened. What it looks up at each call is gone.
  expect(execution).toMatchObject({ status: 'completed', finalOutput: 'done', iterations: 3 });
  expect(execution.ends).toEqual(['completed', 'completed', expect.stringContaining('There is no flow')]);
});

test.concurrent('a model config that is deleted: the run fails, and says which is missing', async () => {
  const tenant = await newTenant();
  const { id } = await newConfig(tenant, {
    provider: 'generic-openai',
    modelId: 'scripted',
  });
  const agent = await createScriptedAgent(tenant, { model: id, tools: gated });
  const wait = await waiting(tenant, agent.id, { text: 'x' });
  await expectStatus(204, remove(tenant, `model-configs/${id}`));
  expect(await ended(tenant, agent.id, wait)).toMatchObject({
    status: 'failed',
    stopReason: 'error',
    iterations: 1,
    ends: ['completed'],
    error: expect.stringContaining(id),
  });
});

/** Starts an agent that waits for its model for ever. */
async function hanging(tenant: Tenant, background: boolean) {
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
  if (background) {
    const started = run(tenant, agent.id, 'hello', { options: { background } });
    const { executionId } = await expectStatus(202, started);
    return { agent, executionId, events: followed(tenant, agent.id, executionId) };
  }
  const { events } = await openEvents(tenant.token, `/v1/agents/${agent.id}/execute`, {
    messages: [{ role: 'user', content: 'hello' }],
  });
  const first = (await events.next()).value.data;
  const rest = Array.fromAsync(events).then((all) => all.map(({ data }) => data));
  return { agent, executionId: first.executionId as string, events: rest };
}

test.concurrent.each([true, false])(
  'an agent that is deleted while it runs (background: %s): its run ends, readers learn why, nothing is left',
  async (background) => {
    const tenant = await newTenant();
    const { agent, executionId, events } = await hanging(tenant, background);
    await expectStatus(200, remove(tenant, `agents/${agent.id}`));
    expect((await events).at(-1)).toMatchObject({
      type: 'execution_complete',
      success: false,
      stopReason: 'cancelled',
    });
    await eventually(async () => {
      const path = `/v1/agents/${agent.id}/executions/${executionId}`;
      expect((await tenant.call('GET', path)).status).toBe(404);
    });
  },
);

test.concurrent('a run that records on after its agent was deleted leaves nothing behind', async () => {
  const tenant = await newTenant();
  const code = 'const end = Date.now() + 1500; while (Date.now() < end); return "x".repeat(50000);';
  const { id } = await createTool(tenant, { config: { code } });
  const agent = await createScriptedAgent(tenant, { tools: { toolIds: [id] } });
  const script = scripted(calls(['Double']), calls(['Double']), { text: 'done' });
  const started = run(tenant, agent.id, script, { options: { background: true } });
  const { executionId } = await expectStatus(202, started);
  const path = `/v1/agents/${agent.id}/executions/${executionId}/tool-calls`;
  await eventually(async () =>
    expect((await tenant.call('GET', path)).body.toolCalls).toMatchObject([{ status: 'pending' }]),
  );
  await expectStatus(200, remove(tenant, `agents/${agent.id}`));
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const itemsLeft = async () => (await table.queryAll({ partition: agentRunPartition(executionId) })).length;
  // On a machine that is not busy, the tool ends and is recorded between the two.
  await eventually(async () => expect(await itemsLeft()).toBe(0), 25_000);
  await sleep(6_000);
  expect(await itemsLeft()).toBe(0);
}, 45_000);
