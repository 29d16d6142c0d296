import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { defaultsAmong, listConfigs, newConfig, newProviderKey } from '../../support/models/model-configs.ts';
import { tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const create = ({ call }: Pick<Tenant, 'call'>, body: unknown) => call('POST', '/v1/model-configs', { body });
const openai = { provider: 'openai', modelId: 'gpt-5-mini' };
const custom = { displayName: 'Ours', inputCostPer1kTokens: 0.1, outputCostPer1kTokens: 0.3 };

test('a config shows what the catalog says of its model, and the first one is the default', async () => {
  const tenant = await newTenant({ organizationId: 'acme' });
  const { status, body } = await create(tenant, { ...openai, settings: { temperature: 0.5, colour: 'red' } });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^modelcfg_[0-9a-z]{26}$/),
    provider: 'openai',
    modelId: 'gpt-5-mini',
    displayName: 'GPT-5 Mini',
    creator: 'openai',
    creatorDisplayName: 'OpenAI',
    limits: {},
    configScope: 'organization',
    isDefault: true,
    isEnabled: true,
    keyStatus: 'needs_setup',
    providerKeyId: null,
    settings: { temperature: 0.5, colour: 'red' },
    costPer1kTokens: 0.0006875,
    inputCostPer1kTokens: 0.00025,
    outputCostPer1kTokens: 0.002,
    maxOutputTokens: 128_000,
    reasoningCapability: { supported: true, provider: 'openai', supportsReasoningSummary: true },
    supportedResponseFormats: ['text', 'JSON'],
    supportsCustomKey: true,
    supportsSearch: true,
    supportsStreaming: true,
    userId: tenant.userId,
    organizationId: 'acme',
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: body.createdAt,
  });
  expect((await newConfig(tenant, { modelId: 'gpt-4o' })).isDefault).toBe(false);
});

test('a custom model has its own name, prices and limits', async () => {
  const settings = {
    customModel: {
      ...custom,
      executorConfig: { baseURL: 'https://models.example.com/v1', modelMapping: 'llama' },
    },
  };
  const body = await newConfig(await newTenant(), { provider: 'generic-openai', modelId: 'ours', settings });
  expect(body).toMatchObject({
    displayName: 'Ours',
    maxOutputTokens: 4_096,
    keyStatus: 'custom',
    costPer1kTokens: 0.15,
    inputCostPer1kTokens: 0.1,
    outputCostPer1kTokens: 0.3,
  });
  expect(body).not.toHaveProperty('creator');
});

test('a generic server may have any model, without a cost; the deployment’s key applies', async () => {
  const body = await newConfig(await newTenant(), { provider: 'generic-openai', modelId: 'any' });
  expect(body).toMatchObject({ keyStatus: 'platform', displayName: 'any' });
  expect(body).not.toHaveProperty('costPer1kTokens');
});

test('a model of the catalog on a generic server has the price and the abilities that it has elsewhere', async () => {
  const body = await newConfig(await newTenant(), { provider: 'generic-openai', modelId: 'gpt-5-mini' });
  expect(body).toMatchObject({
    displayName: 'GPT-5 Mini',
    creator: 'openai',
    inputCostPer1kTokens: 0.00025,
    supportsSearch: true,
    reasoningCapability: { supported: true, provider: 'generic-openai', supportsReasoningSummary: false },
  });
});

test('with a key of its own, a config’s keyStatus is custom', async () => {
  const tenant = await newTenant();
  const { id: providerKeyId } = await newProviderKey(tenant);
  expect(await newConfig(tenant, { providerKeyId })).toMatchObject({ providerKeyId, keyStatus: 'custom' });
  expect(await newConfig(tenant)).toMatchObject({ providerKeyId: null, keyStatus: 'custom' });
});

const url = (baseURL: string) => ({ customModel: { ...custom, executorConfig: { baseURL } } });

test.each<[string, object, string, string]>([
  ['no provider', { modelId: 'gpt-5-mini' }, 'provider', 'MISSING_REQUIRED_FIELD'],
  ['an unknown provider', { ...openai, provider: 'vertex' }, 'provider', 'INVALID_ENUM'],
  ['an empty model id', { ...openai, modelId: '' }, 'modelId', 'TOO_SMALL'],
  ['a model that the catalog does not list', { ...openai, modelId: 'gpt-x' }, 'modelId', 'INVALID_VALUE'],
  ['a model of another provider', { ...openai, modelId: 'claude-sonnet-4-5' }, 'modelId', 'INVALID_VALUE'],
  ['a malformed key id', { ...openai, providerKeyId: 'x' }, 'providerKeyId', 'INVALID_FORMAT'],
  [
    'an unknown key',
    { ...openai, providerKeyId: `providerkey_${'0'.repeat(26)}` },
    'providerKeyId',
    'INVALID_VALUE',
  ],
  ['a temperature over 2', { ...openai, settings: { temperature: 2.1 } }, 'settings.temperature', 'TOO_BIG'],
  ['no output tokens', { ...openai, settings: { maxTokens: 0 } }, 'settings.maxTokens', 'TOO_SMALL'],
  ['settings over 4 KB', { ...openai, settings: { text: 'x'.repeat(4_090) } }, 'settings', 'TOO_BIG'],
  [
    'settings of more levels than the table takes',
    { ...openai, settings: { deep: JSON.parse('['.repeat(40) + ']'.repeat(40)) } },
    'settings',
    'TOO_DEEP',
  ],
  [
    'a custom model without prices',
    { ...openai, settings: { customModel: { displayName: 'x', inputCostPer1kTokens: 1 } } },
    'settings.customModel.outputCostPer1kTokens',
    'MISSING_REQUIRED_FIELD',
  ],
  [
    'a server without https',
    { ...openai, settings: url('http://models.example.com/v1') },
    'settings.customModel.executorConfig.baseURL',
    'INVALID_VALUE',
  ],
  [
    'an address that is none',
    { ...openai, settings: url('models') },
    'settings.customModel.executorConfig.baseURL',
    'INVALID_FORMAT',
  ],
  ['an unknown member', { ...openai, name: 'x' }, 'name', 'UNKNOWN_MEMBER'],
])('400 for %s', async (_what, body, path, code) => {
  const { details } = await expectStatus(400, create(await newTenant(), body));
  expect(details).toMatchObject([{ path, code }]);
});

test('400 for a key of another provider than the one that is called', async () => {
  const tenant = await newTenant();
  const { id: providerKeyId } = await newProviderKey(tenant, { provider: 'groq' });
  const { details } = await expectStatus(400, create(tenant, { ...openai, providerKeyId }));
  expect(details[0].message).toBe('The provider key is of groq, but the config calls openai');
  const settings = { customModel: { ...custom, executorProvider: 'groq' } };
  await expectStatus(201, create(tenant, { ...openai, providerKeyId, settings }));
});

test('parallel creations leave exactly one default', async () => {
  const tenant = await newTenant();
  await Promise.all(Array.from({ length: 10 }, () => newConfig(tenant)));
  const configs = await listConfigs(tenant);
  expect(configs).toHaveLength(10);
  expect(defaultsAmong(configs)).toHaveLength(1);
});

test('a test key may read configs, but not write them', async () => {
  const { call } = await tenantWithKey(['MODELS:READ'], { environment: 'test' });
  await expectStatus(200, call('GET', '/v1/model-configs'));
  await expectStatus(403, call('POST', '/v1/model-configs', { body: openai }));
});
