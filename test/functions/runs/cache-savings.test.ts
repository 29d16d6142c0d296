import { expect, test } from 'vitest';
import { answered, createScriptedAgent, run } from '../../support/agents/agent-runs.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
} from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

/** Its provider says that a cache served 800 of 1,000 tokens, each for a quarter of 2 USD per million. */
const model = 'generic-openai/gpt-4.1';
const saved = 0.0012;
const prompt = { type: 'prompt', name: 'ask', config: { model, userPrompt: 'Hello' } };

const runOf = async (tenant: Tenant, id: string) => {
  const { cacheSavings, tokens } = await expectStatus(200, tenant.call('GET', `/v1/runs/${id}`));
  return { cacheSavings: Number(cacheSavings), cachedInput: tokens.cachedInput };
};

test('a run of a flow says what caches of providers saved, and so do its totals', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [prompt, { ...prompt, name: 'again' }]);
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId, totalTokens } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(totalTokens).toEqual({ input: 2_000, output: 20, cachedInput: 1_600 });
  expect(await runOf(tenant, executionId)).toEqual({ cacheSavings: 2 * saved, cachedInput: 1_600 });
});

test('so does a run of an agent', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant, { model });
  const { executionId, totalTokens } = await answered(run(tenant, agent.id, 'Hello'));
  expect(totalTokens).toEqual({ input: 1_000, output: 10, cachedInput: 800 });
  expect(await runOf(tenant, executionId)).toEqual({ cacheSavings: saved, cachedInput: 800 });
});

test('a batch says it of all its records, a flow of the agents inside of it', async () => {
  const tenant = await newTenant();
  await createRecords(tenant, 'thing', 2);
  const { id: agentId } = await createScriptedAgent(tenant, { model });
  const inside = { type: 'execute-agent', name: 'inside', config: { agentId, message: 'Hello' } };
  const flow = await publishedFlow(tenant, [prompt, inside]);
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  await finishedBatch(tenant, batchId);
  expect(await runOf(tenant, batchId)).toEqual({ cacheSavings: 4 * saved, cachedInput: 3_200 });
});

test('without a use of caches it is null', async () => {
  const tenant = await newTenant();
  const agent = await createScriptedAgent(tenant);
  const { executionId } = await answered(run(tenant, agent.id, 'Hello'));
  const found = await expectStatus(200, tenant.call('GET', `/v1/runs/${executionId}`));
  expect(found).toMatchObject({ cacheSavings: null, tokens: { cachedInput: 0 } });
});
