import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newTenant } from '../../support/stack/stack.ts';

test('models in use: each with its calls, the most recently used first; keys show theirs', async () => {
  const tenant = await newTenant();
  const { call } = tenant;
  expect(await expectStatus(200, call('GET', '/v1/model-configs/usage'))).toEqual({ data: [], total: 0 });
  const ask = async (model: string) => {
    const steps = [{ type: 'prompt', name: 'p', config: { model: `generic-openai/${model}`, text: 'x' } }];
    const body = { flow: { steps }, options: { streamResponse: false } };
    const { success, error } = await expectStatus(200, call('POST', '/v1/dispatch', { body }));
    expect(error).toBeNull();
    return success;
  };
  for (const model of ['first', 'second', 'first']) await ask(model);
  const { data, total } = await expectStatus(200, call('GET', '/v1/model-configs/usage'));
  expect(total).toBe(2);
  expect(data).toEqual([
    { provider: 'generic-openai', modelId: 'first', usageCount: 2, lastUsedAt: expect.any(String) },
    { provider: 'generic-openai', modelId: 'second', usageCount: 1, lastUsedAt: expect.any(String) },
  ]);

  const settings = { baseURL: process.env.GENERIC_OPENAI_BASE_URL };
  const key = { provider: 'generic-openai', name: 'ours', apiKey: 'correct-horse', settings };
  const { providerKey } = await expectStatus(201, call('POST', '/v1/provider-keys', { body: key }));
  await ask('first');
  const { providerKeys } = await expectStatus(200, call('GET', '/v1/provider-keys'));
  expect(providerKeys).toMatchObject([{ id: providerKey.id, usageCount: 1, lastUsedAt: expect.any(String) }]);
  const { summary } = await expectStatus(200, call('GET', '/v1/model-usage'));
  expect(summary).toMatchObject({ totalRequests: 4, userTokens: expect.any(Number) });
  expect(summary.userTokens).toBeGreaterThan(0);
  expect(summary.platformTokens).toBe(3 * summary.userTokens);
});

test('403 without MODELS:READ', async () => {
  const { call } = await newTenant({ permissions: ['FLOWS:*'] });
  await expectStatus(403, call('GET', '/v1/model-configs/usage'));
});
