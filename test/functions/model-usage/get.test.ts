import { expect, test } from 'vitest';
import { newId } from '../../../shared/core/ids.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
} from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const prompt = (model: string, more: object = {}) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: `generic-openai/${model}`, userPrompt: 'Hello', ...more },
});
const usageOf = ({ call }: Tenant, query = '') => call('GET', `/v1/model-usage${query}`);
const dispatch = ({ call }: Tenant, body: object) =>
  expectStatus(200, call('POST', '/v1/dispatch', { body: { ...body, options: { streamResponse: false } } }));
const today = () => new Date().toISOString().slice(0, 10);

test('model usage counts the calls of batches, stored flows and inline flows by day and model', async () => {
  const tenant = await newTenant();
  await createRecords(tenant, 'thing', 2);
  const flow = await publishedFlow(tenant, [prompt('gpt-4o-mini'), prompt('unheard-of')]);
  await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const { totalTokens, totalCost, steps } = await dispatch(tenant, { flow: { id: flow.id } });
  expect(totalCost).toBeNull();
  await dispatch(tenant, { flow: { steps: [prompt('gpt-4o-mini')] } });
  const usage = await expectStatus(200, usageOf(tenant));
  const each = (totalTokens.input + totalTokens.output) / 2;
  const once = Number(steps[0].estimatedCost);
  expect(usage.meta).toMatchObject({ endDate: today(), granularity: 'day' });
  expect(usage.summary).toMatchObject({
    totalRequests: 7,
    totalTokens: 7 * each,
    platformTokens: 7 * each,
    userTokens: 0,
    userCost: 0,
    requestsWithoutPrice: 3,
  });
  expect(usage.summary.totalCost).toBeCloseTo(4 * once, 12);
  expect(usage.timeSeries).toHaveLength(30);
  expect(usage.timeSeries.at(-1)).toMatchObject({ date: today(), requests: 7, tokens: 7 * each });
  expect(usage.usageByModel).toMatchObject({
    'generic-openai/gpt-4o-mini': {
      provider: 'generic-openai',
      modelId: 'gpt-4o-mini',
      requestCount: 4,
      totalTokens: 4 * each,
      avgCostPerRequest: expect.closeTo(once, 12),
    },
    'generic-openai/unheard-of': { requestCount: 3, totalCost: 0 },
  });
  const ofFlow = await expectStatus(200, usageOf(tenant, `?flowId=${flow.id}`));
  expect(ofFlow.summary.totalRequests).toBe(6);
  const ofOther = await expectStatus(200, usageOf(tenant, `?flowId=${newId('flow')}`));
  expect(ofOther.summary.totalRequests).toBe(0);
});

test('calls of failed attempts count too: the provider charges them', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  // The answer is no JSON, which is retryable: a batch tries it three times.
  const flow = await publishedFlow(tenant, [prompt('gpt-4o-mini', { responseFormat: 'json' })]);
  const body = { flowId: flow.id, recordIds: [record?.id], options: { maxRetries: 2 } };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  expect((await finishedBatch(tenant, batchExecutionId)).status).toBe('failed');
  const { summary } = await expectStatus(200, usageOf(tenant));
  expect(summary.totalRequests).toBe(3);
  const { totalCostUsd } = await expectStatus(200, tenant.call('GET', `/v1/batch/${batchExecutionId}/cost`));
  expect(totalCostUsd).toBeCloseTo(summary.totalCost, 12);
});

test('the usage of a deleted flow stays counted', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [prompt('gpt-4o')]);
  await dispatch(tenant, { flow: { id: flow.id } });
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect((await expectStatus(200, usageOf(tenant))).summary.totalRequests).toBe(1);
});

test('periods, dates and granularities choose the days; a week begins on Monday', async () => {
  const tenant = await newTenant();
  const days = async (query: string) => {
    const { meta, timeSeries } = await expectStatus(200, usageOf(tenant, query));
    return [meta.startDate, meta.endDate, timeSeries.map(({ date }: { date: string }) => date)];
  };
  expect(await days('?period=day')).toEqual([today(), today(), [today()]]);
  expect(await days('?startDate=2026-02-27&endDate=2026-03-01T23:00:00Z')).toEqual([
    '2026-02-27',
    '2026-03-01',
    ['2026-02-27', '2026-02-28', '2026-03-01'],
  ]);
  expect(await days('?period=week&endDate=2026-03-01&granularity=week')).toEqual([
    '2026-02-23',
    '2026-03-01',
    ['2026-02-23'],
  ]);
  expect(await days('?startDate=2025-12-31&endDate=2026-02-01&granularity=month')).toEqual([
    '2025-12-31',
    '2026-02-01',
    ['2025-12-01', '2026-01-01', '2026-02-01'],
  ]);
});

test.each([
  ['?startDate=yesterday', 'startDate'],
  ['?startDate=2026-03-01T10:00:00', 'startDate'],
  ['?endDate=0000-01-01', 'endDate'],
  ['?startDate=9999-12-31T23:00:00-14:00', 'startDate'],
  ['?period=decade', 'period'],
  ['?granularity=minute', 'granularity'],
  ['?startDate=2026-03-02&endDate=2026-03-01', 'startDate'],
  ['?startDate=2020-01-01&endDate=2026-03-01', 'startDate'],
  ['?startDate=2026-03-01&period=week', 'period'],
  ['?flowId=nothing', 'flowId'],
  ['?modelConfigId=nothing', 'modelConfigId'],
])('400 names the query parameter of %s', async (query, path) => {
  const { details } = await expectStatus(400, usageOf(await newTenant(), query));
  expect(details).toMatchObject([{ path }]);
});

test('403 without ANALYTICS:READ', async () => {
  await expectStatus(403, usageOf(await newTenant({ permissions: ['FLOWS:*', 'RECORDS:*'] })));
});
