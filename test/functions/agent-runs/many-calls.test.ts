import { expect, test } from 'vitest';
import { answered, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { newTenant } from '../../support/stack/stack.ts';

const sum = { name: 'calculator', arguments: { expression: '1' } };
const script = (count: number) => scripted({ toolCalls: Array(count).fill(sum) }, { text: 'done' });

test('a response with more than 128 tool calls fails the run, which still pays for it; none is made', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant);
  const agent = await createScriptedAgent(tenant, {
    model,
    tools: { toolIds: ['builtin:calculator'], maxToolCalls: 100 },
  });
  const { executionId, ...outcome } = await answered(run(tenant, agent.id, script(129)));
  const error = expect.stringContaining('more than 128 tool calls');
  expect(outcome).toMatchObject({ status: 'failed', stopReason: 'error', iterations: 0, error });
  expect(Number(outcome.totalCost)).toBeGreaterThan(0);
  const path = `/v1/agents/${agent.id}/executions/${executionId}`;
  expect((await expectStatus(200, tenant.call('GET', `${path}/tool-calls`))).toolCalls).toEqual([]);
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(1);
  expect((await answered(run(tenant, agent.id, script(128)))).status).toBe('completed');
});

test.each([false, true])(
  'a response with 8,000 tool calls does not hold up other tenants (streamed: %s)',
  async (streamResponse) => {
    const [attacker, other] = await Promise.all([newTenant(), newTenant()]);
    const agent = await createScriptedAgent(attacker, {
      tools: { toolIds: ['builtin:calculator'], maxToolCalls: 100 },
    });
    let isOver = false;
    const attack = run(attacker, agent.id, script(8_000), { options: { streamResponse } }).finally(() => {
      isOver = true;
    });
    let answered = 0;
    for (; !isOver; answered++) await expectStatus(200, other.call('GET', '/v1/agents'));
    expect(JSON.stringify((await attack).body)).toContain('more than 128 tool calls');
    // It was one, which waited for the end of the attack.
    expect(answered).toBeGreaterThan(2);
  },
  90_000,
);
