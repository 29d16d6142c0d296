import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { completeOpenAiChat } from '../../../functions/openai/complete-chat.ts';
import { toStreamingLambda } from '../../../shared/platform/http/lambda/streaming-lambda.ts';
import { createBudget, createSpentBudget, getBudget } from '../../support/flows/budgets.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { limitedModel } from '../../support/models/limited-model.ts';
import { newConfig } from '../../support/models/model-configs.ts';
import { openAi, requestError, served, userMessages } from '../../support/models/openai.ts';
import { newKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { invokeStreaming } from '../../support/stack/streamed.ts';

const permissions = ['FLOWS:EXECUTE'];
const clientOf = async (tenant: Tenant) => openAi((await newKey(tenant, { permissions })).key);

test.each([false, true])(
  'a call takes four requests to DynamoDB, one of them after the model has answered (stream: %s)',
  async (stream) => {
    const tenant = await newTenant();
    const runtime = countingRuntime();
    const handler = toStreamingLambda(completeOpenAiChat, () => runtime);
    const ask = async () => {
      runtime.reset();
      const body = { model: served('echo'), messages: userMessages('hi'), stream };
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${tenant.token}` };
      const { stream: sent, done } = invokeStreaming(handler, tenant, body, 60_000, { headers });
      expect(await text(sent)).toMatch(/You (said|"\},"log)/);
      await done;
      return runtime.consumed;
    };
    // The first of an hour writes its mark.
    await ask();
    const { commands, capacityUnits } = await ask();
    // The request is counted; a place is taken while the models are read.
    expect(commands.slice(0, 3)).toEqual(['UpdateItem', 'Query', 'UpdateItem']);
    // The run is listed, the use is counted, the place is released.
    expect(commands.slice(3)).toEqual(['TransactWriteItems']);
    expect(capacityUnits).toBeLessThanOrEqual(9);
  },
);

test('a budget pays for a call, and refuses the next when it is spent', async () => {
  const tenant = await newTenant();
  const id = (await createBudget(tenant)).id;
  const client = await clientOf(tenant);
  const ask = (stream: boolean) =>
    client.chat.completions.create({ model: served('gpt-4o-mini'), messages: userMessages('hello'), stream });
  await ask(false);
  expect(Number((await getBudget(tenant, id)).spent)).toBeGreaterThan(0);
  await createSpentBudget(tenant);
  for (const stream of [false, true]) {
    expect(await requestError(ask(stream))).toMatchObject({ status: 402, code: 'insufficient_quota' });
  }
});

test('a model config may be named by its id, and its settings and limits apply', async () => {
  const tenant = await newTenant();
  const client = await clientOf(tenant);
  const { id } = await newConfig(tenant, {
    provider: 'generic-openai',
    modelId: 'mirror',
    settings: { temperature: 0.125 },
  });
  const [ofConfig, ofDefault] = await Promise.all(
    [id, 'default'].map((model) => client.chat.completions.create({ model, messages: userMessages('hi') })),
  );
  expect(JSON.parse(ofConfig?.choices[0]?.message.content ?? '')).toMatchObject({
    model: 'mirror',
    temperature: 0.125,
  });
  expect(ofDefault?.model).toBe('generic-openai/mirror');
  const limited = await limitedModel(tenant, { requestsPerMinute: 600, maxConcurrent: 1 });
  const both = await Promise.all(
    [1, 2].map(() => client.chat.completions.create({ model: limited.id, messages: userMessages('hi') })),
  );
  expect(both.map(({ choices }) => Number(choices[0]?.message.content))).toEqual([
    expect.any(Number),
    expect.any(Number),
  ]);
  const { items, data = items } = await expectStatus(200, tenant.call('GET', '/v1/runs'));
  expect(data).toHaveLength(4);
});

test('a request with an idempotency key is answered once', async () => {
  const tenant = await newTenant();
  const client = await clientOf(tenant);
  const ask = () =>
    client.chat.completions.create(
      { model: served('echo'), messages: userMessages('once') },
      { headers: { 'Idempotency-Key': 'the-same' } },
    );
  expect(await ask()).toEqual(await ask());
  const usage = await expectStatus(200, tenant.call('GET', '/v1/model-usage'));
  expect(usage.summary.totalRequests).toBe(1);
});
