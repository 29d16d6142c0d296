import { expect, test } from 'vitest';
import { sweepRun } from '../../../shared/execution/agent-runs/sweep-runs.ts';
import {
  answered,
  approve,
  calls,
  createScriptedAgent,
  followed,
  run,
  scripted,
} from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { openEvents } from '../../support/stack/sse.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const sum = calls(['calculator', { expression: '1 + 1' }]);
const tools = { toolIds: ['builtin:calculator'], approval: { require: true, timeout: 1 } };
const scopeOf = ({ tenant }: Tenant) => countingRuntime().scopeOf(tenant);
const later = (ms: number) => ({ now: new Date(Date.now() + ms), atStart: false });
const detailsOf = (tenant: Tenant, agentId: string, executionId: string) =>
  expectStatus(200, tenant.call('GET', `/v1/agents/${agentId}/executions/${executionId}`));

test('an approval that nobody gives in time is denied, and the run goes on', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { tools });
  const { pausedReason } = await answered(run(tenant, agent.id, scripted(sum, { text: 'without it' })));
  const { executionId, awaits } = pausedReason;
  await sweepRun(scopeOf(tenant), executionId, later(0));
  expect(await detailsOf(tenant, agent.id, executionId)).toMatchObject({ status: 'paused' });
  await sweepRun(scopeOf(tenant), executionId, later(2_000));
  const late = { executionId, approvalId: awaits[0].approvalId, decision: 'approved' };
  expect((await approve(tenant, agent.id, late)).status).toBe(409);
  await eventually(async () =>
    expect(await detailsOf(tenant, agent.id, executionId)).toMatchObject({
      status: 'completed',
      finalOutput: 'without it',
      iterations: 2,
    }),
  );
  const events = await followed(tenant, agent.id, executionId);
  expect(events.find(({ type }) => type === 'approval_complete')).toMatchObject({
    decision: 'timeout',
    resolvedBy: 'system',
  });
});

test('a run whose process is gone fails when its lease is over; one that goes on elsewhere does not', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
  const { events, hangUp } = await openEvents(tenant.token, `/v1/agents/${agent.id}/execute`, {
    messages: [{ role: 'user', content: 'hello' }],
  });
  const { value } = await events.next();
  const { executionId } = value.data;
  await sweepRun(scopeOf(tenant), executionId, later(0));
  expect(await detailsOf(tenant, agent.id, executionId)).toMatchObject({ status: 'running' });
  await sweepRun(scopeOf(tenant), executionId, later(120_000));
  expect(await detailsOf(tenant, agent.id, executionId)).toMatchObject({
    status: 'failed',
    stopReason: 'error',
    error: expect.stringContaining('crashed'),
  });
  hangUp();
});

test('a caller that hangs up cancels its run', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/trickling' });
  const { events, hangUp } = await openEvents(tenant.token, `/v1/agents/${agent.id}/execute`, {
    messages: [{ role: 'user', content: 'word '.repeat(200) }],
  });
  const { value } = await events.next();
  const { executionId } = value.data;
  hangUp();
  await eventually(async () =>
    expect(await detailsOf(tenant, agent.id, executionId)).toMatchObject({
      status: 'cancelled',
      stopReason: 'cancelled',
      error: 'The caller disconnected',
      iterations: 0,
    }),
  );
});

test('the model is told the time after what stays the same, and gets the system prompt and the images', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, {
    model: 'generic-openai/mirror',
    systemPrompt: 'You are {{ role }}.',
    temporal: { groundNow: true, timezone: 'Africa/Nairobi' },
  });
  const image = 'data:image/png;base64,iVBORw0KGgo=';
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image', image },
      ],
    },
  ];
  const { result } = await answered(run(tenant, agent.id, '', { messages, inputs: { role: 'a parrot' } }));
  const [system, user] = JSON.parse(result).messages;
  expect(system.content).toBe('You are a parrot.');
  expect(user.content[0].text).toMatch(/^The current date and time is .*Africa\/Nairobi/);
  expect(JSON.stringify(user.content)).toContain('iVBORw0KGgo=');
});
