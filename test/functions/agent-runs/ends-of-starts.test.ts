import { expect, test } from 'vitest';
import { calls, createScriptedAgent, scripted, streamed } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { openEvents } from '../../support/stack/sse.ts';
import { newTenant } from '../../support/stack/stack.ts';

// That each start has its end, the harness judges in every stream (test/support/stack/stream-judge.ts).

test('a turn that the model refuses ends as failed, with the reason', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/refusing' });
  const events = await streamed(tenant, agent.id, 'Hello');
  const error = expect.stringContaining('The prompt was refused');
  const [start, end] = [events.at(1), events.at(2)];
  expect(start).toMatchObject({ type: 'turn_start' });
  expect(end).toMatchObject({ type: 'turn_complete', id: start?.id, success: false, error });
  expect(end).toMatchObject({ stopReason: 'error', completedAt: expect.any(String) });
  expect(events.at(3)).toMatchObject({ type: 'execution_complete', success: false, error });
});

test('a call that nobody may make any more ends as failed', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    tools: { toolIds: ['builtin:calculator'], maxToolCalls: 1 },
  });
  const sum = calls(['calculator', { expression: '1' }]);
  const events = await streamed(tenant, agent.id, scripted(sum, sum, { text: 'done' }));
  expect(events.filter(({ type }) => type === 'tool_start')).toHaveLength(2);
  expect(events.filter(({ type }) => type === 'tool_complete')).toMatchObject([
    { success: true },
    { success: false, error: 'The call was not made' },
  ]);
});

test('what a run had begun when somebody cancelled it has its end', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
  const { events } = await openEvents(tenant.token, `/v1/agents/${agent.id}/execute`, {
    messages: [{ role: 'user', content: 'hello' }],
  });
  const executionId = (await events.next()).value?.data.executionId;
  await events.next();
  const path = `/v1/agents/${agent.id}/executions/${executionId}/cancel`;
  await expectStatus(200, tenant.call('POST', path));
  const rest = (await Array.fromAsync(events)).map(({ data }) => data);
  expect(rest.filter(({ type }) => type !== 'ping')).toMatchObject([
    { type: 'turn_complete', success: false },
    { type: 'execution_complete', stopReason: 'cancelled' },
  ]);
});

test('a step that fails ends the text that it began', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/refusing' });
  const config = { agentId: agent.id, message: 'hello' };
  const { events } = await openEvents(tenant.token, '/v1/dispatch', {
    flow: { steps: [{ type: 'execute-agent', name: 'ask', config }] },
  });
  const types = (await Array.fromAsync(events)).map(({ data }) => data.type);
  expect(types).toEqual([
    'execution_start',
    'step_start',
    'text_start',
    'text_complete',
    'step_complete',
    'execution_complete',
  ]);
});
