import { beforeEach, expect, test } from 'vitest';
import { modelResolver } from '../../../../shared/domain/model-configs/model-resolver.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { deploymentKeys, modelWorld } from '../../../support/models/model-world.ts';

beforeEach(() => deploymentKeys({ OPENAI_API_KEY: 'the-deployment-key' }));

const messageOf = async (work: Promise<unknown>) => (await stepFailure(work)).message;
const custom = { displayName: 'Ours', inputCostPer1kTokens: 0.1, outputCostPer1kTokens: 0.3 };
const customModel = {
  ...custom,
  maxOutputTokens: 100,
  supportedResponseFormats: ['text'],
  supportsStreaming: true,
};
const openai = { provider: 'openai', modelId: 'gpt-5-mini' } as const;

test('the deployment’s key is used by a tenant without configs and keys', async () => {
  expect(await modelWorld().resolve('openai/gpt-5-mini')).toMatchObject({
    provider: 'openai',
    modelId: 'gpt-5-mini',
    keySource: 'platform',
    credentials: { apiKey: 'the-deployment-key' },
  });
});

test('a config is used by its id, as `default`, and by the names of its model', async () => {
  const { config, resolve } = modelWorld();
  const { id } = await config({ ...openai, settings: { temperature: 0.3, maxTokens: 50 } });
  for (const name of [id, 'default', 'openai/gpt-5-mini', 'gpt-5-mini']) {
    expect(await resolve(name)).toMatchObject({
      provider: 'openai',
      modelId: 'gpt-5-mini',
      configId: id,
      settings: { temperature: 0.3, maxTokens: 50 },
    });
  }
});

test('a disabled config cannot be had by another spelling, by its name on the wire, or by a dated version', async () => {
  deploymentKeys({ OPENAI_API_KEY: 'a-key', GENERIC_OPENAI_BASE_URL: 'http://127.0.0.1:9' });
  const { config, configs, principal, resolve } = modelWorld();
  await config({ provider: 'openai', modelId: 'gpt-4o' });
  const { id } = await config(openai);
  const executorConfig = { modelMapping: 'Ours-7B' };
  const wired = await config({
    provider: 'generic-openai',
    modelId: 'ours',
    settings: { customModel: { ...customModel, executorConfig } },
  });
  for (const each of [id, wired.id]) await configs.update(principal, each, { isEnabled: false });
  const spellings = ['OpenAI/GPT-5-Mini ', 'openai//gpt-5-mini', 'openai/gpt-5-mini-2025-08-07'];
  for (const name of [...spellings, 'generic-openai/OURS', '/ours/', 'generic-openai/ours-7b']) {
    expect(await messageOf(resolve(name)), name).toContain('is disabled; enable it');
  }
});

test('a spelling of a model of the catalog is sent as the provider knows it, a dated version as it is', async () => {
  const { config, resolve } = modelWorld();
  expect(await resolve(' OPENAI/ GPT-5-Mini')).toMatchObject({ provider: 'openai', modelId: 'gpt-5-mini' });
  const { id } = await config({ ...openai, settings: { temperature: 0.2 } });
  const dated = { configId: id, modelId: 'gpt-5-mini-2025-08-07', settings: { temperature: 0.2 } };
  expect(await resolve('openai/gpt-5-mini-2025-08-07')).toMatchObject(dated);
  expect(await messageOf(resolve('\u200b/ /'))).toContain('The name of the model is empty');
});

test('whether prompts are cached is a setting of the config, and no part of what its name means', async () => {
  const { config, resolve, resolver } = modelWorld();
  const one = await config({ ...openai, settings: { promptCaching: 'off' } });
  const other = await config({ ...openai });
  expect(await resolve(one.id)).toMatchObject({ promptCaching: 'off' });
  expect(await resolver().identity(one.id)).toEqual(await resolver().identity(other.id));
});

test('without configs, `default` is the model that the first list would choose', async () => {
  expect(await modelWorld().resolve('default')).toMatchObject({
    provider: 'openai',
    modelId: 'gpt-6.1-terra',
  });
});

test('keys are used in order: the config’s, the default, another active one, the deployment’s', async () => {
  const { config, key, keys, principal, resolve } = modelWorld();
  const apiKey = async () => (await resolve('openai/gpt-5-mini')).credentials.apiKey;
  const [first, second, third] = [
    await key({ apiKey: 'first-own-key' }),
    await key({ apiKey: 'second-own-key', isDefault: true }),
    await key({ apiKey: 'third-own-key' }),
  ];
  const { id } = await config({ ...openai, providerKeyId: third.id });
  expect(await apiKey()).toBe('third-own-key');
  await keys.update(principal, third.id, { isActive: false });
  expect(await messageOf(apiKey())).toBe(
    `The provider key of the model config ${id} is inactive: choose another one through PUT /v1/model-configs/${id}`,
  );
  await keys.remove(principal, third.id);
  expect(await messageOf(apiKey())).toContain(`The provider key of the model config ${id} was deleted`);
  expect((await resolve('openai/gpt-4o')).credentials.apiKey).toBe('second-own-key');
  await keys.update(principal, second.id, { isActive: false });
  expect((await resolve('openai/gpt-4o')).credentials.apiKey).toBe('first-own-key');
  await keys.remove(principal, first.id);
  expect(await resolve('openai/gpt-4o')).toMatchObject({
    keySource: 'platform',
    credentials: { apiKey: 'the-deployment-key' },
  });
});

test('a rotated key is used by runs that start afterwards', async () => {
  const { key, keys, principal, resolve } = modelWorld();
  const { id } = await key({ apiKey: 'the-first-value' });
  expect((await resolve('openai/gpt-4o')).credentials.apiKey).toBe('the-first-value');
  await keys.update(principal, id, { apiKey: 'the-second-value' });
  expect(await resolve('openai/gpt-4o')).toMatchObject({
    keySource: 'custom',
    credentials: { apiKey: 'the-second-value', guarded: false },
  });
});

test('a run asks the table once, whatever models it names', async () => {
  const { config, resolver, runtime } = modelWorld();
  const { id } = await config(openai);
  runtime.reset();
  const { resolve, alternatives } = resolver();
  await Promise.all([resolve(id), resolve('default'), resolve('gpt-4o')]);
  await alternatives('gpt-4o');
  expect(runtime.consumed.commands).toEqual(['Query']);
});

test('runs of one invocation that start within two seconds share what the first has read', async () => {
  const { scope, runtime } = modelWorld();
  let at = Date.now();
  const invocation = { ...scope, now: () => new Date(at) };
  runtime.reset();
  const runs = Array.from({ length: 5 }, () => modelResolver(invocation));
  await Promise.all(runs.map(({ resolve }) => resolve('gpt-4o')));
  expect(runtime.consumed.commands).toEqual(['Query']);
  at += 2_000;
  await modelResolver(invocation).resolve('gpt-4o');
  expect(runtime.consumed.commands).toEqual(['Query', 'Query']);
});

test('a failed read is repeated with the next model', async () => {
  const { scope } = modelWorld();
  let calls = 0;
  const table = {
    ...scope.table,
    queryAll: async () => {
      calls++;
      if (calls === 1) throw new Error('The table is unreachable');
      return [];
    },
  };
  const { resolve } = modelResolver({ ...scope, table });
  await expect(resolve('gpt-4o')).rejects.toThrow('The table is unreachable');
  expect(await resolve('gpt-4o')).toMatchObject({ provider: 'openai' });
});

test('a disabled config is never used, by whatever name', async () => {
  const { config, configs, principal, resolve } = modelWorld();
  await config({ provider: 'openai', modelId: 'gpt-4o' });
  const { id } = await config(openai);
  await configs.update(principal, id, { isEnabled: false });
  for (const name of [id, 'openai/gpt-5-mini', 'gpt-5-mini']) {
    expect(await messageOf(resolve(name))).toBe(
      `The model config ${id} (openai/gpt-5-mini) is disabled; enable it through PATCH /v1/model-configs/${id}/status`,
    );
  }
  const other = await config(openai);
  expect(await resolve('gpt-5-mini')).toMatchObject({ configId: other.id });
});

test('a disabled config at one provider leaves the others', async () => {
  deploymentKeys({ GROQ_API_KEY: 'groq-key', TOGETHER_API_KEY: 'together-key' });
  const { config, configs, principal, resolve } = modelWorld();
  await config(openai);
  const { id } = await config({ provider: 'groq', modelId: 'openai/gpt-oss-120b' });
  await configs.update(principal, id, { isEnabled: false });
  expect(await resolve('gpt-oss-120b')).toMatchObject({ provider: 'togetherai' });
});

test.each([
  [
    `modelcfg_${'0'.repeat(26)}`,
    `There is no model config modelcfg_${'0'.repeat(26)}; GET /v1/model-configs`,
  ],
  ['nowhere/gpt-5', 'There is no model provider nowhere; expected one of openai, anthropic, google, bedrock'],
  ['constructor/gpt-5', 'There is no model provider constructor'],
  [
    'no-such-model',
    'The catalog has no model no-such-model; write models outside of the catalog as <provider>/',
  ],
  [
    'anthropic/claude',
    'The model provider anthropic is not configured: store a key through POST /v1/provider-keys',
  ],
  [
    'claude-sonnet-4-5',
    'No configured model provider has claude-sonnet-4-5; store a key of anthropic, bedrock',
  ],
])('%s is rejected: %s', async (name, message) => {
  expect(await messageOf(modelWorld().resolve(name))).toContain(message);
});

test('another tenant’s config is unknown', async () => {
  const { id } = await modelWorld().config(openai);
  expect(await messageOf(modelWorld().resolve(id))).toBe(
    `There is no model config ${id}; GET /v1/model-configs lists them`,
  );
});

test('a name of the catalog means the cheapest configured provider, else the generic server', async () => {
  const { resolve } = modelWorld();
  deploymentKeys({ AWS_BEARER_TOKEN_BEDROCK: 'k', GROQ_API_KEY: 'k', TOGETHER_API_KEY: 'k' });
  expect(await resolve('glm-5.3')).toMatchObject({ provider: 'togetherai', modelId: 'zai-org/GLM-5.3' });
  expect(await resolve('llama-3.1-8b')).toMatchObject({ provider: 'groq', modelId: 'llama-3.1-8b-instant' });
  expect(await resolve('Qwen/Qwen3.5-9B')).toMatchObject({
    provider: 'togetherai',
    modelId: 'Qwen/Qwen3.5-9B',
  });
  deploymentKeys({ AWS_BEARER_TOKEN_BEDROCK: 'k', ANTHROPIC_API_KEY: 'k' });
  // Both cost the same: the provider’s own name of the model decides.
  expect(await resolve('claude-sonnet-4-5')).toMatchObject({ provider: 'anthropic' });
  deploymentKeys({ GENERIC_OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1' });
  expect(await resolve('glm-5.3')).toMatchObject({ provider: 'generic-openai', modelId: 'glm-5.3' });
  expect(await resolve('generic-openai/meta/llama3.2')).toMatchObject({ modelId: 'meta/llama3.2' });
});

test('alternatives are the other configured providers of the model, cheapest first', async () => {
  deploymentKeys({ MISTRAL_API_KEY: 'k', TOGETHER_API_KEY: 'k', AWS_BEARER_TOKEN_BEDROCK: 'k' });
  const { config, configs, principal, resolver } = modelWorld();
  const providersOf = async (name: string) =>
    (await resolver().alternatives(name)).map((each) => each.split('/')[0]);
  expect(await providersOf('mistral/zai-glm-5-3')).toEqual(['togetherai', 'bedrock']);
  expect(await resolver().alternatives('mistral/zai-glm-5-3')).toEqual([
    'togetherai/zai-org/GLM-5.3',
    'bedrock/global.zai.glm-5.3',
  ]);
  expect(await providersOf('bedrock/us.zai.glm-5.3')).toEqual(['mistral', 'togetherai']);
  expect(await providersOf('glm-5.3')).not.toContain((await resolver().resolve('glm-5.3')).provider);
  await config({ provider: 'mistral', modelId: 'zai-glm-5-3' });
  const { id } = await config({ provider: 'togetherai', modelId: 'zai-org/GLM-5.3' });
  await configs.update(principal, id, { isEnabled: false });
  expect(await providersOf('default')).toEqual(['bedrock']);
  expect(await providersOf('mistral/codestral-2508')).toEqual([]);
});

test('a custom model has its own name on the wire, protocol, price and server', async () => {
  const { config, key, resolve } = modelWorld();
  const { id: providerKeyId } = await key({ provider: 'groq', apiKey: 'the-groq-key' });
  const executorConfig = { baseURL: 'https://models.example.com/v1', modelMapping: 'llama' };
  const settings = { customModel: { ...custom, executorProvider: 'groq' as const, executorConfig } } as never;
  const { id } = await config({ provider: 'openai', modelId: 'ours', settings });
  for (const name of [id, 'openai/ours', 'ours']) {
    expect(await resolve(name)).toEqual({
      provider: 'groq',
      modelId: 'llama',
      keySource: 'custom',
      configId: id,
      providerKeyId,
      credentials: { apiKey: 'the-groq-key', baseUrl: 'https://models.example.com/v1', guarded: true },
      price: { input: '100', output: '300' },
      settings: {},
      statedOutputTokens: 4_096,
      outputTokens: 4_096,
    });
  }
});

test('the deployment’s key never goes to a server that a tenant names', async () => {
  const { config, key, resolve } = modelWorld();
  const settings = {
    customModel: { ...custom, executorConfig: { baseURL: 'https://evil.example/v1' } },
  } as never;
  const { id } = await config({ ...openai, settings });
  expect(await messageOf(resolve(id))).toBe(
    `The model config ${id} calls evil.example, which never gets a key of the deployment: store a key of openai through POST /v1/provider-keys`,
  );
  await key({ apiKey: 'the-own-key', settings: { baseURL: 'https://own.example/v1' } });
  expect((await resolve(id)).credentials).toEqual({
    apiKey: 'the-own-key',
    baseUrl: 'https://evil.example/v1',
    guarded: true,
  });
  expect((await resolve('openai/gpt-4o')).credentials).toEqual({
    apiKey: 'the-own-key',
    baseUrl: 'https://own.example/v1',
    guarded: true,
  });
});

test('a generic server of a tenant needs no key, and the deployment’s one is not sent', async () => {
  deploymentKeys({ GENERIC_OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1', GENERIC_OPENAI_API_KEY: 'theirs' });
  const { config, resolve } = modelWorld();
  const settings = {
    customModel: { ...custom, executorConfig: { baseURL: 'https://own.example/v1' } },
  } as never;
  const { id } = await config({ provider: 'generic-openai', modelId: 'ours', settings });
  expect(await resolve(id)).toMatchObject({ keySource: 'custom' });
  expect((await resolve(id)).credentials).toEqual({ baseUrl: 'https://own.example/v1', guarded: true });
});

test('a key of Bedrock has a region', async () => {
  const { key, resolve } = modelWorld();
  await key({ provider: 'bedrock', apiKey: 'the-bedrock-key', settings: { region: 'eu-central-1' } });
  expect((await resolve('bedrock/amazon.nova-lite-v1:0')).credentials).toMatchObject({
    apiKey: 'the-bedrock-key',
    region: 'eu-central-1',
  });
});

test('a search uses the tenant’s account before the deployment’s', async () => {
  deploymentKeys({ TAVILY_API_KEY: 'theirs', TAVILY_BASE_URL: 'https://proxy.example/' });
  const { key, resolver } = modelWorld();
  expect(await resolver().searchAccount('tavily')).toEqual({
    key: 'theirs',
    baseUrl: 'https://proxy.example',
  });
  await key({ provider: 'tavily', apiKey: 'the-own-tavily-key' });
  expect(await resolver().searchAccount('tavily')).toMatchObject({ key: 'the-own-tavily-key' });
  await key({ provider: 'exa', apiKey: 'the-own-exa-key', settings: { baseURL: 'https://exa.example/v1/' } });
  expect(await resolver().searchAccount('exa')).toEqual({
    key: 'the-own-exa-key',
    baseUrl: 'https://exa.example/v1',
  });
  expect(await messageOf(resolver().searchAccount('brave'))).toContain(
    'The search provider brave is not configured',
  );
});
