import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { answered, calls, createScriptedAgent, run, scripted } from '../../support/agents/agent-runs.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newConfig } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const fact = 'Ada likes tea without sugar';
const save = calls(['save_memory', { content: fact }]);
const recall = calls(['recall_memory', { question: 'tea?' }]);

/** A user with an embedding model. */
async function userOf(organizationId?: string, userId?: string): Promise<Tenant> {
  const tenant = await newTenant({ ...(organizationId && { organizationId }), ...(userId && { userId }) });
  await newConfig(tenant, { provider: 'generic-openai', modelId: 'embedder' });
  return tenant;
}

const remembering = (tenant: Tenant, memory: object = {}) =>
  createScriptedAgent(tenant, { memory: { enabled: true, ...memory } });

/** The result of the only tool call of a run. */
async function resultOf(tenant: Tenant, agent: { id: string }, turn: typeof save, more: object = {}) {
  const script = scripted(turn, { text: 'done' });
  const { executionId } = await answered(run(tenant, agent.id, script, { ...more }));
  const path = `/v1/agents/${agent.id}/executions/${executionId}/tool-calls`;
  const { toolCalls } = await expectStatus(200, tenant.call('GET', path));
  const call = await expectStatus(200, tenant.call('GET', `${path}/${toolCalls[0].id}`));
  expect(call.errorMessage).toBeNull();
  return call.outputResult;
}

test('what a run saves, the next run of the same user recalls, with its costs in the run', async () => {
  const user = await userOf();
  const agent = await remembering(user);
  expect(await resultOf(user, agent, recall)).toEqual({ found: false });
  expect(await resultOf(user, agent, save)).toMatchObject({ saved: true });
  expect(await resultOf(user, agent, save)).toMatchObject({ saved: false });
  expect(await resultOf(user, agent, recall)).toEqual({
    found: true,
    answer: expect.stringContaining(fact),
  });
  // A memory is of the user, not of the agent.
  expect(await resultOf(user, await remembering(user), recall)).toMatchObject({ found: true });
});

test('another user of the organization and another tenant of the same user see nothing of it', async () => {
  const organizationId = `org-${randomUUID()}`;
  const ada = await userOf(organizationId);
  const agent = await remembering(ada);
  await resultOf(ada, agent, save);
  const bob = await newTenant({ organizationId });
  expect(await resultOf(bob, agent, recall)).toEqual({ found: false });
  const elsewhere = await userOf(undefined, ada.userId);
  expect(await resultOf(elsewhere, await remembering(elsewhere), recall)).toEqual({ found: false });
  expect(await resultOf(ada, agent, recall)).toMatchObject({ found: true });
});

test('a profile of inputs: each has a memory of its own, and an agent without memory has no such tools', async () => {
  const user = await userOf();
  const agent = await remembering(user, { profileTemplate: 'customer-{{ inputs.customer }}' });
  const of = (customer: string) => ({ inputs: { customer } });
  await resultOf(user, agent, save, of('one'));
  expect(await resultOf(user, agent, recall, of('one'))).toMatchObject({ found: true });
  expect(await resultOf(user, agent, recall, of('two'))).toEqual({ found: false });
  const forgetful = await createScriptedAgent(user);
  const { executionId } = await answered(run(user, forgetful.id, scripted(recall, { text: 'x' })));
  const path = `/v1/agents/${forgetful.id}/executions/${executionId}/tool-calls`;
  expect((await expectStatus(200, user.call('GET', path))).toolCalls).toMatchObject([
    { toolName: 'recall_memory', errorMessage: expect.stringContaining('There is no tool recall_memory') },
  ]);
});
