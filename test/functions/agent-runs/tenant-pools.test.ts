import { expect, test } from 'vitest';
import { createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const inBackground = { options: { background: true } };
const start = (tenant: Tenant, agentId: string, script: string): Promise<{ executionId: string }> =>
  expectStatus(202, run(tenant, agentId, script, inBackground));
const cancel = (tenant: Tenant, agentId: string, executionId: string) =>
  tenant.call('POST', `/v1/agents/${agentId}/executions/${executionId}/cancel`);
const statusOf = async (tenant: Tenant, agentId: string, executionId: string) =>
  (await tenant.call('GET', `/v1/agents/${agentId}/executions/${executionId}`)).body.status;
const completed = (tenant: Tenant, agentId: string, executionId: string) =>
  eventually(async () => expect(await statusOf(tenant, agentId, executionId)).toBe('completed'), 40_000);
const silentAgent = (tenant: Tenant) => createScriptedAgent(tenant, { model: 'generic-openai/hanging' });

test('60 runs whose model is silent leave places to others, and each runs once a place is free', async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const [silent, quick, others] = await Promise.all([
    silentAgent(tenant),
    createScriptedAgent(tenant),
    createScriptedAgent(other),
  ]);
  const runs = await Promise.all(Array.from({ length: 60 }, () => start(tenant, silent.id, 'x')));
  const last = await start(tenant, quick.id, scripted({ text: 'at last' }));
  const { executionId } = await start(other, others.id, scripted({ text: 'at once' }));
  await completed(other, others.id, executionId);
  await Promise.all(runs.map((each) => expectStatus(200, cancel(tenant, silent.id, each.executionId))));
  await completed(tenant, quick.id, last.executionId);
}, 120_000);
