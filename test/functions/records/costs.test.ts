import { expect, test } from 'vitest';
import { createRecords, expectStatus, publishedFlow, runFlowOnRecords } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const prompt = (model: string) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: `generic-openai/${model}`, userPrompt: 'about {{ _record.name }}' },
});
const costsOf = ({ call }: Tenant, id: string) => call('GET', `/v1/records/${id}/costs`);
const none = {
  executionCount: 0,
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  totalCost: 0,
  modelBreakdown: [],
};

test('a record returns the cost of its model calls, from batches and dispatched runs alike', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 2);
  const id = record?.id ?? '';
  expect(await expectStatus(200, costsOf(tenant, id))).toEqual(none);
  const flow = await publishedFlow(tenant, [prompt('gpt-4o-mini'), prompt('unheard-of')]);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const once = await expectStatus(200, costsOf(tenant, id));
  const [priced, unpriced] = once.modelBreakdown;
  expect(priced).toMatchObject({ model: 'generic-openai/gpt-4o-mini', count: 1 });
  expect(priced.cost).toBeGreaterThan(0);
  expect(unpriced).toEqual({ model: 'generic-openai/unheard-of', count: 1, tokens: priced.tokens, cost: 0 });
  expect(once).toMatchObject({ executionCount: 2, totalTokens: 2 * priced.tokens, totalCost: priced.cost });
  expect(once.promptTokens + once.completionTokens).toBe(once.totalTokens);

  const body = { flow: { id: flow.id }, record: { id }, options: { streamResponse: false } };
  await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const twice = await expectStatus(200, costsOf(tenant, id));
  expect(twice).toMatchObject({ executionCount: 4, totalTokens: 2 * once.totalTokens });
  expect(twice.totalCost).toBeCloseTo(2 * once.totalCost, 12);
});

test('the cost of a deleted flow stops counting, immediately and permanently', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const [gone, kept] = [
    await publishedFlow(tenant, [prompt('gpt-4o')]),
    await publishedFlow(tenant, [prompt('gpt-4o-mini')]),
  ];
  for (const flow of [gone, kept]) await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${gone.id}`));
  const models = async () =>
    (await expectStatus(200, costsOf(tenant, record?.id ?? ''))).modelBreakdown.map(
      ({ model }: { model: string }) => model,
    );
  expect(await models()).toEqual(['generic-openai/gpt-4o-mini']);
  const results = async () =>
    (await expectStatus(200, tenant.call('GET', `/v1/records/${record?.id}/results`))).data.length;
  await eventually(async () => expect(await results()).toBe(1));
});

test('404 for an unknown record and another tenant’s; 400 for a malformed id; 403 without RECORDS:READ', async () => {
  const tenant = await newTenant();
  const missing = await expectStatus(404, costsOf(tenant, `record_${'0'.repeat(26)}`));
  expect(missing).toEqual(notFoundBody('Record'));
  const [foreign] = await createRecords(await newTenant(), 'thing', 1);
  expect(await expectStatus(404, costsOf(tenant, foreign?.id ?? ''))).toEqual(missing);
  await expectStatus(400, costsOf(tenant, 'record_7'));
  const powerless = await newTenant({ permissions: ['RECORDS:WRITE'] });
  await expectStatus(403, costsOf(powerless, foreign?.id ?? ''));
});
