import { expect, test } from 'vitest';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

const model = 'generic-openai/scripted';

test('a flow runs an agent as a step; the step has its costs, the execution its parent', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const step = {
    type: 'execute-agent',
    name: 'ask',
    config: { agentId: agent.id, message: '{{ script }}', outputVariable: 'answer' },
  };
  const body = {
    flow: { steps: [step, { type: 'template', name: 't', config: { template: 'It said {{ answer }}' } }] },
    inputs: { script: scripted({ text: 'hello' }) },
    options: { streamResponse: false },
  };
  const dispatched = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(dispatched).toMatchObject({ success: true, output: 'It said hello' });
  expect(dispatched.steps[0]).toMatchObject({ status: 'completed', totalTokens: expect.any(Number) });
  const path = `/v1/agents/${agent.id}/executions?parentExecutionId=${dispatched.executionId}`;
  const { data } = await expectStatus(200, tenant.call('GET', path));
  expect(data).toMatchObject([{ agentId: agent.id, status: 'completed' }]);
});

test('a failed agent fails the step', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const config = { agentId: agent.id, message: scripted({ status: 400, message: 'no' }) };
  const body = {
    flow: { steps: [{ type: 'execute-agent', name: 'ask', config }] },
    options: { streamResponse: false },
  };
  const answer = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(answer).toMatchObject({ success: false, error: expect.stringContaining('The agent failed') });
});

test('a stored tool, a spawned agent, code and an advisor: each gives the agent its answer', async () => {
  const tenant = await newTenant();
  const inner = await createScriptedAgent(tenant);
  const { id: toolId } = await createTool(tenant, {
    name: 'colleague',
    description: 'Asks',
    toolType: 'subagent',
    config: { agentId: inner.id },
    parametersSchema: { type: 'object', properties: { message: { type: 'string' } } },
  });
  const toolPool = ['builtin:calculator'];
  const agent = await createScriptedAgent(tenant, {
    advisor: { model },
    tools: { toolIds: [toolId], subagentConfig: { toolPool }, codeModeConfig: { toolPool } },
  });
  const task = scripted(calls(['calculator', { expression: '2 * 3' }]), { text: 'spawned' });
  const code = 'const a = await tools.calculator({ expression: "4 * 5" }); return a.number + 1;';
  const script = scripted(
    calls(
      ['colleague', { message: scripted({ text: 'a colleague' }) }],
      ['spawn_agent', { task, tools: toolPool }],
      ['run_code', { code }],
      ['ask_advisor', { question: scripted({ text: 'be careful' }) }],
    ),
    { text: 'done' },
  );
  const { executionId, totalTokens } = await answered(run(tenant, agent.id, script));
  const path = `/v1/agents/${agent.id}/executions/${executionId}`;
  const { toolCalls } = await expectStatus(200, tenant.call('GET', `${path}/tool-calls`));
  const results = await Promise.all(
    toolCalls.map(({ id }: { id: string }) =>
      expectStatus(200, tenant.call('GET', `${path}/tool-calls/${id}`)),
    ),
  );
  expect(results.map(({ errorMessage }) => errorMessage)).toEqual([null, null, null, null]);
  expect(results.map(({ outputResult }) => outputResult)).toMatchObject([
    'a colleague',
    'spawned',
    { result: 21 },
    'be careful',
  ]);
  const query = `?parentExecutionId=${executionId}`;
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/agents/${agent.id}/executions${query}`));
  expect(data).toHaveLength(2);
  const inside = data.reduce((sum: number, each: { totalTokens: number }) => sum + each.totalTokens, 0);
  expect(totalTokens.input + totalTokens.output).toBeGreaterThan(inside);
  const specs = await Promise.all(
    data.map(async ({ id, agentId }: { id: string; agentId: string | null }) => {
      const details = await expectStatus(200, tenant.call('GET', `/v1/agents/${agent.id}/executions/${id}`));
      return [agentId, details.agentSpec];
    }),
  );
  expect(Object.fromEntries(specs)).toMatchObject({
    [inner.id]: { config: { model }, capabilities: [] },
    null: { config: { tools: { toolIds: toolPool } }, capabilities: [] },
  });
});
