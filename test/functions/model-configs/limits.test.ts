import { expect, test } from 'vitest';
import { collect } from '../../../shared/adapters/ports/model-port.ts';
import { keyPauseEntity } from '../../../shared/domain/throttles/limits.ts';
import { createThrottle, throttleEntity } from '../../../shared/domain/throttles/throttle.ts';
import { openPorts } from '../../../shared/execution/open-ports.ts';
import { plannedBatch, runOnce } from '../../support/flows/batches.ts';
import { dispatchSteps } from '../../support/flows/budgets.ts';
import { limitedModel } from '../../support/models/limited-model.ts';
import { listConfigs, newConfig, newProviderKey } from '../../support/models/model-configs.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, countingTable, newTenant, type Tenant } from '../../support/stack/stack.ts';

test('limits are shown as they were set; null lifts one, and a missing one stays', async () => {
  const tenant = await newTenant();
  const { config, change, id } = await limitedModel(tenant, { requestsPerMinute: 600, maxConcurrent: 5 });
  expect(config.limits).toEqual({ requestsPerMinute: 600, maxConcurrent: 5 });
  const limits = async () => (await listConfigs(tenant)).find((each) => each.id === id);
  expect((await change({ requestsPerMinute: null, tokensPerMinute: 90_000 })).body.limits).toEqual({
    tokensPerMinute: 90_000,
    maxConcurrent: 5,
  });
  expect(await limits()).toMatchObject({ limits: { tokensPerMinute: 90_000, maxConcurrent: 5 } });
  expect((await change({ tokensPerMinute: null, maxConcurrent: null })).body.limits).toEqual({});
  expect((await newConfig(tenant)).limits).toEqual({});
});

test('a provider key has limits too', async () => {
  const tenant = await newTenant();
  const key = await newProviderKey(tenant, { limits: { maxConcurrent: 2 } });
  expect(key.limits).toEqual({ maxConcurrent: 2 });
  const { body } = await tenant.call('PATCH', `/v1/provider-keys/${key.id}`, {
    body: { limits: { requestsPerMinute: 60, maxConcurrent: null } },
  });
  expect(body.providerKey.limits).toEqual({ requestsPerMinute: 60 });
});

test.each([
  { requestsPerMinute: 0 },
  { requestsPerMinute: 1.5 },
  { tokensPerMinute: -1 },
  { maxConcurrent: 10_001 },
  { requestsPerHour: 5 },
])('400 for the limits %j', async (limits) => {
  const { call } = await newTenant();
  const body = { provider: 'openai', modelId: 'gpt-5-mini', limits };
  const answer = await call('POST', '/v1/model-configs', { body });
  expect(answer).toMatchObject({ status: 400, body: { details: [{ path: /^limits/ }] } });
});

const done = { success: true, status: 'completed', output: expect.stringMatching(/^\d+$/) };
const paused = { success: true, status: 'paused', batchExecutionId: expect.any(String) };

test('a call that must wait for longer than ten seconds suspends its run; a change holds within seconds', async () => {
  const tenant = await newTenant();
  const model = await limitedModel(tenant, { requestsPerMinute: 3 });
  const run = async () => (await dispatchSteps(tenant, [model.step()])).body;
  for (let call = 0; call < 3; call++) expect(await run()).toMatchObject(done);
  expect(await run()).toMatchObject(paused);
  await model.change({ requestsPerMinute: null });
  await eventually(async () => expect(await run()).toMatchObject(done));
  await model.change({ requestsPerMinute: 1 });
  await eventually(async () => expect(await run()).toMatchObject(paused));
});

test('the limits of a key hold over the configs that use it', async () => {
  const tenant = await newTenant();
  const { id: providerKeyId } = await ownKey(tenant, { requestsPerMinute: 2 });
  const one = await limitedModel(tenant, {}, { providerKeyId });
  const other = await limitedModel(tenant, { requestsPerMinute: 100 }, { providerKeyId });
  expect((await dispatchSteps(tenant, [one.step(), other.step()])).body).toMatchObject(done);
  expect((await dispatchSteps(tenant, [other.step()])).body).toMatchObject(paused);
});

/** A key of the tenant for the models of the whole run. */
const ownKey = (tenant: Pick<Tenant, 'call'>, limits: object = {}) =>
  newProviderKey(tenant, {
    provider: 'generic-openai',
    settings: { baseURL: process.env.GENERIC_OPENAI_BASE_URL },
    limits,
  });

test('a 429 with Retry-After pauses all calls of the key, but of no other', async () => {
  const tenant = await newTenant();
  const [{ id: providerKeyId }, { id: otherKey }] = [await ownKey(tenant), await ownKey(tenant)];
  const busy = await limitedModel(tenant, {}, { mapping: 'busy', providerKeyId });
  const same = await limitedModel(tenant, {}, { providerKeyId });
  const other = await limitedModel(tenant, {}, { providerKeyId: otherKey });
  expect((await dispatchSteps(tenant, [same.step()])).body).toMatchObject(done);
  expect((await dispatchSteps(tenant, [busy.step()])).body).toMatchObject(paused);
  expect((await dispatchSteps(tenant, [same.step()])).body).toMatchObject(paused);
  expect((await dispatchSteps(tenant, [other.step()])).body).toMatchObject(done);
});

test('a pause that another process has noted holds for running runs with limits within a second', async () => {
  const tenant = await newTenant();
  const { id: providerKeyId } = await ownKey(tenant);
  const { id: model } = await limitedModel(tenant, { requestsPerMinute: 1_000 }, { providerKeyId });
  const owner = { userId: tenant.userId, organizationId: null, runId: 'exec_a_run' };
  const ports = openPorts(countingRuntime().scopeOf(tenant.tenant), owner);
  const wait = { since: new Date(), maySuspend: () => true };
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const ask = () =>
    collect(
      ports.model.stream({ model, messages, wait, streamed: false, signal: AbortSignal.timeout(60_000) }),
    );
  await ask();
  const { writes, commit } = countingTable(tenant.tenant);
  const until = new Date(Date.now() + 60_000).toISOString();
  await commit([writes.put(keyPauseEntity, { id: providerKeyId, until, ttl: 2_000_000_000 })]);
  await eventually(() => expect(ask()).rejects.toThrow('The provider takes no calls with the key'));
});

test('a record whose call has to wait is suspended, and its step runs when it comes back', async () => {
  const batch = await plannedBatch({
    recordCount: 2,
    steps: [{ type: 'prompt', name: 'ask', config: { model: 'default', userPrompt: 'Hi' } }],
  });
  const { id } = await limitedModel(batch, { requestsPerMinute: 1 });
  const [first, second] = [batch.message(0), batch.message(1)];
  await runOnce(batch.scope, first);
  await runOnce(batch.scope, second);
  expect(await batch.progress()).toMatchObject({ processedRecords: 1, failedRecords: 0 });
  expect(await batch.results(batch.records[1]?.id)).toEqual([]);
  await forgetSent(batch, id);
  await runOnce(batch.scope, second);
  expect(await batch.progress()).toMatchObject({ processedRecords: 2, failedRecords: 0 });
  const [result] = await batch.results(batch.records[1]?.id);
  expect(result).toMatchObject({ status: 'completed', retryCount: 0 });
});

/** As if a minute had passed. */
async function forgetSent({ tenant }: Pick<Tenant, 'tenant'>, id: string): Promise<void> {
  const table = countingTable(tenant);
  const { version = 0 } = (await table.get(throttleEntity, { id }, { consistent: true })) ?? {};
  await table.commit([
    table.writes.put(throttleEntity, { ...createThrottle(id), version: version + 1, sent: '' }),
  ]);
}

test('a tenant without limits pays no request more; one with limits, a write for many calls far from them', async () => {
  const requestsOf = async (limits: object) => {
    const tenant = await newTenant();
    const { id: model } = await limitedModel(tenant, limits);
    const runtime = countingRuntime();
    const owner = { userId: tenant.userId, organizationId: null, runId: 'exec_a_run' };
    const ports = openPorts(runtime.scopeOf(tenant.tenant), owner);
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    for (let call = 0; call < 10; call++) {
      await collect(
        ports.model.stream({ model, messages, streamed: false, signal: AbortSignal.timeout(60_000) }),
      );
    }
    return runtime.consumed.commands;
  };
  expect(await requestsOf({})).toEqual(['Query']);
  const limited = await requestsOf({ requestsPerMinute: 6_000 });
  expect(limited.filter((command) => command === 'PutItem')).toHaveLength(1);
});

/** A call of it costs 0.0001 USD and a little, at most. */
const maxTokens = 100;
const askBriefly = (model: string) => ({
  type: 'prompt',
  name: 'ask',
  config: { model, userPrompt: 'Hi', maxTokens },
});

test('a limit of money is shown as it was set, and refuses what is not money', async () => {
  const tenant = await newTenant();
  const { config, change } = await limitedModel(tenant, { usdPerMinute: '0.50' });
  expect(config.limits).toEqual({ usdPerMinute: '0.50' });
  expect((await change({ usdPerMinute: null })).body.limits).toEqual({});
  for (const usdPerMinute of ['0', '-1', '1e3', 5])
    expect(await change({ usdPerMinute })).toMatchObject({ status: 400 });
});

test('a minute pays for as many calls as their highest costs allow, then runs are suspended; a key pays over its configs', async () => {
  const tenant = await newTenant();
  const { id: providerKeyId } = await ownKey(tenant, { usdPerMinute: '0.00015' });
  const one = await limitedModel(tenant, {}, { providerKeyId });
  const other = await limitedModel(tenant, {}, { providerKeyId });
  const run = async (model: string) => (await dispatchSteps(tenant, [askBriefly(model)])).body;
  const answers = [];
  for (let call = 0; call < 60; call++) {
    const answer = await run(call % 2 === 0 ? one.id : other.id);
    answers.push(answer);
    if (answer.status === 'paused') break;
  }
  const made = answers.filter(({ status }) => status === 'completed');
  expect(answers.at(-1)).toMatchObject(paused);
  expect(made.length).toBeGreaterThan(1);
  const costs = made.map(({ totalCost }) => Number(totalCost));
  expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(0.000_15);
});

test('a call that alone may cost more fails with RATE_LIMITED, and a model without a price does not count', async () => {
  const tenant = await newTenant();
  const dear = await limitedModel(tenant, { usdPerMinute: '0.00001' });
  expect((await dispatchSteps(tenant, [askBriefly(dear.id)])).body).toMatchObject({
    success: false,
    error: expect.stringContaining('allows 0.00001 USD a minute'),
  });
  const { id: providerKeyId } = await ownKey(tenant, { usdPerMinute: '0.000000001' });
  const unpriced = await newConfig(tenant, { provider: 'generic-openai', modelId: 'clock', providerKeyId });
  expect((await dispatchSteps(tenant, [askBriefly(unpriced.id)])).body).toMatchObject({ success: true });
});
