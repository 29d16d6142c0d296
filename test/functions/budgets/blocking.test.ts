import Big from 'big.js';
import { expect, test } from 'vitest';
import { createAgent, publishAgent } from '../../support/agents/agents.ts';
import { askStep, createBudget, dispatchSteps, getBudget } from '../../support/flows/budgets.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, newTenant } from '../../support/stack/stack.ts';
import { chatWorld, openPageStream, openSession } from '../../support/surfaces/chat.ts';

const short = { maxTokens: 100 };
const hello = [{ role: 'user', content: 'Hello' }];

test('a budget counts what calls cost, and gives back what was set aside', async () => {
  const tenant = await newTenant();
  const { id } = await createBudget(tenant);
  const run = await expectStatus(200, dispatchSteps(tenant, [askStep('Hello'), askStep('again')]));
  expect(Number(run.totalCost)).toBeGreaterThan(0);
  const budget = await getBudget(tenant, id);
  expect(budget).toMatchObject({ spent: run.totalCost, reserved: '0', status: 'ok', uncounted: false });
  expect(budget.remaining).toBe(new Big(1).minus(run.totalCost).toFixed());
});

test('a call that would exceed the limit is not made: no retry, no fallback, and the code says why', async () => {
  const tenant = await newTenant();
  await createBudget(tenant, { limit: '0.000001' });
  const fallbacks = [{ type: 'message', message: 'instead' }];
  const errorHandling = { onError: 'fallback', fallbacks };
  const run = await expectStatus(200, dispatchSteps(tenant, [askStep('Hello', { ...short, errorHandling })]));
  expect(run).toMatchObject({ success: false, code: 'BUDGET_EXCEEDED', totalCost: '0' });
  expect(run.steps[0]).toMatchObject({ status: 'failed', errorCode: 'BUDGET_EXCEEDED', modelUsed: null });
  expect(run.error).toContain('The budget "A budget" of $0.000001 is spent');
});

test('what may call a model does not start once the budget is spent; other flows do', async () => {
  const tenant = await newTenant();
  const run = await expectStatus(200, dispatchSteps(tenant, [askStep('Hello', short)]));
  const { id } = await createBudget(tenant);
  await dispatchSteps(tenant, [askStep('Hello', short)]);
  const { spent } = await getBudget(tenant, id);
  expect(spent).toBe(run.totalCost);
  await expectStatus(200, tenant.call('PUT', `/v1/budgets/${id}`, { body: { limit: spent } }));
  const [flow, agent] = await Promise.all([
    publishedFlow(tenant, [askStep('Hello')]),
    createAgent(tenant, { config: { model: 'generic-openai/gpt-4o-mini' } }),
  ]);
  await publishAgent(tenant, agent.id);
  await createRecords(tenant, 'thing', 1);
  const refused = await Promise.all([
    dispatchSteps(tenant, [askStep('Hello')]),
    runFlowOnRecords(tenant, flow.id, 'thing'),
    tenant.call('POST', `/v1/flows/${flow.id}/run-on-record-type`, { body: { recordType: 'thing' } }),
    tenant.call('POST', `/v1/agents/${agent.id}/execute`, { body: { messages: hello } }),
  ]);
  for (const { status, body } of refused) {
    expect(status).toBe(402);
    expect(body).toMatchObject({ error: 'Payment required', details: [{ code: 'BUDGET_EXCEEDED' }] });
  }
  await expectStatus(200, dispatchSteps(tenant, [template('no model')]));
  expect(await getBudget(tenant, id)).toMatchObject({ status: 'blocked', remaining: '0', spent });
});

test('with calls in parallel, what is spent is exact and never exceeds the limit', async () => {
  const tenant = await newTenant();
  const one = await expectStatus(200, dispatchSteps(tenant, [askStep('Hello', short)]));
  const limit = '0.0004';
  const { id } = await createBudget(tenant, { limit });
  const runs = await Promise.all(
    Array.from({ length: 30 }, () => dispatchSteps(tenant, [askStep('Hello', short)])),
  );
  const made = runs.filter(({ body }) => body.success);
  const refused = runs.filter(({ status, body }) => status === 402 || body.code === 'BUDGET_EXCEEDED');
  expect(made.length + refused.length).toBe(30);
  expect(made.length).toBeGreaterThan(0);
  const { spent, reserved } = await getBudget(tenant, id);
  expect(spent).toBe(new Big(one.totalCost).times(made.length).toFixed());
  expect(new Big(spent).lte(limit)).toBe(true);
  expect(reserved).toBe('0');
});

test('a batch keeps to the budget of its flow, and its records say why they failed', async () => {
  const tenant = await newTenant();
  const [flow, other] = await Promise.all([
    publishedFlow(tenant, [askStep('About {{ _record.name }}', short)]),
    publishedFlow(tenant, [askStep('Hello', short)]),
  ]);
  const { id } = await createBudget(tenant, { scope: { type: 'flow', id: flow.id }, limit: '0.0005' });
  await createRecords(tenant, 'thing', 12);
  const body = { flow: { id: other.id }, options: { streamResponse: false } };
  await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect((await getBudget(tenant, id)).spent).toBe('0');
  const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'thing'));
  await finishedBatch(tenant, batchId);
  const rows = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`);
  const total = rows.reduce((sum, row) => sum.plus(String(row.estimatedCost ?? 0)), new Big(0));
  await eventually(async () => {
    expect(await getBudget(tenant, id)).toMatchObject({ spent: total.toFixed(), reserved: '0' });
  });
  for (const row of rows.filter(({ status }) => status === 'failed')) {
    expect(row).toMatchObject({ errorCode: 'BUDGET_EXCEEDED', retryCount: 0 });
  }
});

test('each payer has its own budget: the key that calls, the agent that answers, the config that is named', async () => {
  const tenant = await newTenant();
  const [key, agent] = await Promise.all([
    newKey(tenant, { permissions: ['AGENTS:EXECUTE', 'FLOWS:EXECUTE'] }),
    createAgent(tenant, { config: { model: 'generic-openai/gpt-4o-mini' } }),
  ]);
  await publishAgent(tenant, agent.id);
  const [ofKey, ofAgent] = await Promise.all([
    createBudget(tenant, { scope: { type: 'apiKey', id: key.id } }),
    createBudget(tenant, { scope: { type: 'agent', id: agent.id } }),
  ]);
  const body = { messages: hello, options: { streamResponse: false } };
  const byKey = callerWith(key.key);
  const first = await expectStatus(200, byKey('POST', `/v1/agents/${agent.id}/execute`, { body }));
  await expectStatus(200, tenant.call('POST', `/v1/agents/${agent.id}/execute`, { body }));
  expect((await getBudget(tenant, ofKey.id)).spent).toBe(first.totalCost);
  expect((await getBudget(tenant, ofAgent.id)).spent).toBe(new Big(first.totalCost).times(2).toFixed());
});

test('a model without a price is not counted, and the budget says so', async () => {
  const tenant = await newTenant();
  const { id } = await createBudget(tenant);
  await expectStatus(200, dispatchSteps(tenant, [askStep('Hello', { model: 'generic-openai/echo' })]));
  expect(await getBudget(tenant, id)).toMatchObject({ spent: '0', uncounted: true });
});

test('a budget and the limits of a config hold for its model however the name is spelled', async () => {
  const tenant = await newTenant();
  const config = await pricedModel(tenant, { mapping: 'echo', input: 1, output: 1, tokensMax: 100 });
  const { id } = await createBudget(tenant, {
    scope: { type: 'modelConfig', id: config },
    limit: '0.000001',
  });
  const spellings = [
    'generic-openai/echo ',
    'generic-openai/ECHO',
    '//echo',
    'Generic-OpenAI//echo',
    ' echo\t',
  ];
  const more = ['generic-openai/\u200becho', 'generic-openai/./echo:latest', 'generic-openai/\uff45cho'];
  for (const model of [...spellings, ...more, 'generic-openai/generic-openai/echo']) {
    const run = await expectStatus(200, dispatchSteps(tenant, [askStep('Hello', { ...short, model })]));
    expect(run, JSON.stringify(model)).toMatchObject({ success: false, code: 'BUDGET_EXCEEDED' });
  }
  expect(await getBudget(tenant, id)).toMatchObject({ spent: '0', uncounted: false });
});

test('beside models with a price, a budget that blocks refuses names that nobody has described, also as a fallback', async () => {
  const tenant = await newTenant();
  await pricedModel(tenant, { mapping: 'scripted', input: 1, output: 1 });
  const { id } = await createBudget(tenant, { limit: '0.000001' });
  const model = 'generic-openai/scripted-2';
  const fallbacks = [{ type: 'model', model: 'generic-openai/scripted%20' }];
  const errorHandling = { onError: 'fallback', fallbacks };
  for (const changes of [{}, { errorHandling }]) {
    const run = await expectStatus(
      200,
      dispatchSteps(tenant, [askStep('Hello', { ...short, model, ...changes })]),
    );
    expect(run).toMatchObject({ success: false });
    expect(run.error).toContain('Give it one with settings.customModel of POST /v1/model-configs');
  }
  const embedding = { inputSource: 'text', text: 'Hello', embeddingModel: 'generic-openai/unheard-of' };
  const step = { type: 'generate-embedding', name: 'embed', config: embedding };
  const run = await expectStatus(200, dispatchSteps(tenant, [step]));
  expect(run.error).toContain('neither the catalog nor a model config knows a price');
  expect(await getBudget(tenant, id)).toMatchObject({ spent: '0', uncounted: false });
});

test('the chat of a page is paid for by its token; a visitor does not learn of the budget', async () => {
  const { tenant, clientToken, token } = await chatWorld([askStep('Hello', short)]);
  const { id } = await createBudget(tenant, {
    scope: { type: 'clientToken', id: clientToken.id },
    name: 'Secret plan',
  });
  const { sessionId } = await expectStatus(200, openSession(token));
  const { events } = await openPageStream(sessionId, 'Hello');
  if (!events) throw new Error('There is no stream');
  await Array.fromAsync(events);
  const { spent } = await getBudget(tenant, id);
  expect(Number(spent)).toBeGreaterThan(0);
  await expectStatus(200, tenant.call('PUT', `/v1/budgets/${id}`, { body: { limit: spent } }));
  const refused = await openPageStream(sessionId, 'Hello again');
  expect(refused.status).toBe(402);
  expect(JSON.stringify(refused.body)).not.toContain('Secret plan');
});

test('a call counts although the period of its budget is changed while it runs', async () => {
  const tenant = await newTenant();
  const model = await pricedModel(tenant, { mapping: 'slow', input: 1, output: 2 });
  const { id } = await createBudget(tenant, { period: 'total', limit: '100' });
  const running = dispatchSteps(tenant, [askStep('Hello', { model })]);
  await eventually(async () => expect((await getBudget(tenant, id)).reserved).not.toBe('0'));
  await expectStatus(200, tenant.call('PUT', `/v1/budgets/${id}`, { body: { period: 'day' } }));
  const { totalCost } = (await running).body;
  expect(Number(totalCost)).toBeGreaterThan(0);
  await eventually(async () =>
    expect(await getBudget(tenant, id)).toMatchObject({ spent: totalCost, reserved: '0' }),
  );
});
