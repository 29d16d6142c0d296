import { expect, test } from 'vitest';
import { createScriptedAgent } from '../../support/agents/agent-runs.ts';
import { createAgent } from '../../support/agents/agents.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { stack, type Tenant } from '../../support/stack/stack.ts';
import {
  a2aClient,
  a2aWorld,
  keyOfSurface,
  sending,
  shownTask,
  text,
} from '../../support/surfaces/a2a-surface.ts';
import { addCapability, addItem, createSurface } from '../../support/surfaces/products.ts';

/** A surface with the one skill to ask an agent, and a test key of it, which learns the reasons of failures. */
async function surfaceOf(tenant: Tenant, productId: string) {
  const surface = await createSurface(tenant, productId, { type: 'a2a', status: 'active' });
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  const key = await keyOfSurface(tenant, path, { environment: 'test' });
  const url = `${stack().url}${path}/a2a`;
  return {
    url,
    key,
    async offer(agentId: string) {
      const given = { capabilityName: `Ask ${agentId.slice(-6)}`, agentId };
      const { id } = await expectStatus(201, addCapability(tenant, productId, given));
      await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
    },
  };
}

/** An agent of "another server", which is a surface. */
const agentBehind = async (tenant: Tenant, endpoint: string, credentials: string) => {
  const externalConfig = { endpoint, auth: { type: 'bearer', credentials } };
  return (await createAgent(tenant, { agentType: 'external', externalConfig })).id as string;
};

const runsOf = async ({ call }: Tenant, agentId: string) =>
  (await expectStatus(200, call('GET', `/v1/agents/${agentId}/executions?limit=100`))).data as object[];

test('an agent answers through another one of this service over A2A', async () => {
  const { tenant, productId } = await a2aWorld();
  const one = await surfaceOf(tenant, productId);
  await one.offer((await createScriptedAgent(tenant, { model: 'generic-openai/echo' })).id);
  const two = await surfaceOf(tenant, productId);
  await two.offer(await agentBehind(tenant, one.url, one.key));
  const client = await a2aClient(two.url, two.key);
  expect(shownTask(await client.sendMessage(sending([text('Hello there')])))).toMatchObject({
    state: 'completed',
    answer: [expect.stringContaining('Hello there')],
  });
});

test('two agents that call each other over A2A end at the depth limit, with an error that says so', async () => {
  const { tenant, productId } = await a2aWorld();
  const one = await surfaceOf(tenant, productId);
  const two = await surfaceOf(tenant, productId);
  const [ofOne, ofTwo] = await Promise.all([
    agentBehind(tenant, two.url, two.key),
    agentBehind(tenant, one.url, one.key),
  ]);
  await one.offer(ofOne);
  await two.offer(ofTwo);
  const client = await a2aClient(one.url, one.key);
  expect(shownTask(await client.sendMessage(sending([text('Hello')])))).toEqual({
    state: 'failed',
    answer: [],
    said: [expect.stringContaining('Agents run each other at most 5 levels deep')],
  });
  const runs = [await runsOf(tenant, ofOne), await runsOf(tenant, ofTwo)];
  expect(runs.map((each) => each.length)).toEqual([3, 3]);
});
