import { expect, test } from 'vitest';
import { calls, scripted } from '../../support/agents/agent-runs.ts';
import { createAgent } from '../../support/agents/agents.ts';
import { createTool } from '../../support/files/tools.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const model = 'generic-openai/scripted';
const inline = (config: object = {}, more: object = {}) => ({
  name: 'Inline',
  config: { model, loopConfig: { maxTurns: 9 }, ...config },
  ...more,
});
const dispatch = (tenant: Tenant, agent: object, script: string, more: object = {}) =>
  tenant.call('POST', '/v1/dispatch', {
    body: {
      agent,
      messages: [{ role: 'user', content: script }],
      options: { streamResponse: false },
      ...more,
    },
  });

test('an inline agent and a stored one answer like POST /v1/agents/{id}/execute', async () => {
  const tenant = await newTenant();
  const config = { model, systemPrompt: 'Hello {{ inputs.name }}' };
  const { id } = await createAgent(tenant, { config });
  for (const agent of [{ id }, inline({ systemPrompt: 'Hello {{ inputs.name }}' })]) {
    const inputs = { name: 'Ada' };
    const answer = dispatch(tenant, agent, scripted({ text: 'hi' }), { inputs });
    expect(await expectStatus(200, answer)).toMatchObject({ success: true, result: 'hi', iterations: 1 });
  }
});

test('one request continues a run with a decision, an output and a message', async () => {
  const tenant = await newTenant();
  const { id: toolId } = await createTool(tenant, {
    name: 'thermometer',
    description: 'Reads it',
    toolType: 'local',
    config: {},
    parametersSchema: { type: 'object' },
  });
  const tools = { toolIds: [toolId, 'builtin:calculator'], approval: { require: ['calculator'] } };
  const script = scripted(calls(['thermometer'], ['calculator', { expression: '1' }]), { text: 'ok' });
  const { executionId, pausedReason } = await expectStatus(200, dispatch(tenant, inline({ tools }), script));
  const [output, approval] = pausedReason.awaits;
  const continuation = {
    decisions: [{ approvalId: approval.approvalId, decision: 'denied' }],
    toolOutputs: { [output.toolCallId]: 21 },
    messages: [{ role: 'user', content: 'Be quick' }],
  };
  const body = { executionId, continuation, streamResponse: false };
  const ended = await expectStatus(200, tenant.call('POST', '/v1/dispatch/continue', { body }));
  expect(ended).toMatchObject({ status: 'completed', result: 'ok', iterations: 2 });
  expect((await tenant.call('POST', '/v1/dispatch/continue', { body })).status).toBe(409);
});

test('approve and resume continue dispatched runs', async () => {
  const tenant = await newTenant();
  const tools = { toolIds: ['builtin:calculator'], approval: { require: true } };
  const script = scripted(calls(['calculator', { expression: '1' }]), { text: 'ok' });
  const { executionId, pausedReason } = await expectStatus(200, dispatch(tenant, inline({ tools }), script));
  const body = { executionId, approvalId: pausedReason.awaits[0].approvalId, decision: 'approved' };
  const approve = (more: object = {}) =>
    tenant.call('POST', '/v1/dispatch/approve', { body: { ...body, streamResponse: false, ...more } });
  expect((await approve({ executionId: `exec_${'0'.repeat(26)}` })).status).toBe(404);
  expect(await expectStatus(200, approve())).toMatchObject({ status: 'completed', result: 'ok' });
});

test('bad input: a flow and an agent, no messages, a plaintext credential, options of the other kind', async () => {
  const tenant = await newTenant();
  const refused = async (body: object) => {
    const answer = await expectStatus(400, tenant.call('POST', '/v1/dispatch', { body }));
    return answer.details[0].path;
  };
  const messages = [{ role: 'user', content: 'x' }];
  const steps = [{ type: 'template', name: 't', config: { template: 'x' } }];
  expect(await refused({ agent: inline(), flow: { steps }, messages })).toBe('agent');
  expect(await refused({ agent: inline() })).toBe('messages');
  expect(await refused({ flow: { steps }, options: { background: true } })).toBe('options.background');
  expect(await refused({ agent: {}, messages })).toBe('agent.config');
  const server = { id: 's', url: 'https://mcp.example', auth: { type: 'bearer', token: 'plaintext' } };
  expect(await refused({ agent: inline({ tools: { mcpServers: [server] } }), messages })).toBe(
    'agent.config.tools.mcpServers.0.auth.token',
  );
});
