import { expect, test } from 'vitest';
import json from '../../../shared/adapters/models/catalog.json' with { type: 'json' };
import type { ModelOffer } from '../../../shared/adapters/models/catalog.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newConfig, newProviderKey } from '../../support/models/model-configs.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const offers = json.offers as readonly ModelOffer[];
const shown = offers.filter(({ hidden }) => !hidden);

const ask = ({ call }: Tenant, path: string) => expectStatus(200, call('GET', `/v1/model-configs/${path}`));

/** USD per million tokens as whole picodollars, by integer arithmetic alone. */
function picodollars(rate: string): bigint {
  const [whole = '', fraction = ''] = rate.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}

/** The cost of 750 input and 250 output tokens in USD; embeddings have input only. */
function blended({ price: { input, output } }: ModelOffer): number {
  const [share, rest] = output === undefined ? [1_000n, 0n] : [750n, 250n];
  const pico = picodollars(input) * share + picodollars(output ?? '0') * rest;
  return Number(`${pico / 10n ** 18n}.${(pico % 10n ** 18n).toString().padStart(18, '0')}`);
}

interface Group {
  baseModel: string;
  providers: {
    provider: string;
    modelId: string;
    costPer1kTokens: number;
    keyStatus: string;
    hasPlatformKey: boolean;
  }[];
  lowestCost: number;
  contextLength: number;
  maxOutputTokens: number;
}

test('grouped shows each base model once, with the costs of its providers', async () => {
  const { data, stats, total } = await ask(await newTenant(), 'grouped');
  expect(total).toBe(data.length);
  expect(new Set(data.map(({ baseModel }: Group) => baseModel))).toEqual(
    new Set(shown.map(({ base }) => base)),
  );
  expect(stats).toEqual({
    totalModels: offers.length,
    uniqueBaseModels: new Set(offers.map(({ base }) => base)).size,
    providersWithPlatformKeys: ['generic-openai'],
  });
  for (const { baseModel, providers, lowestCost, ...limits } of data as Group[]) {
    const own = shown.filter(({ base }) => base === baseModel);
    expect(providers.map(({ provider, modelId }) => `${provider}/${modelId}`).toSorted()).toEqual(
      own.map(({ provider, id }) => `${provider}/${id}`).toSorted(),
    );
    for (const { modelId, provider, costPer1kTokens } of providers) {
      const offer = own.find((each) => each.id === modelId && each.provider === provider) as ModelOffer;
      expect(costPer1kTokens).toBe(blended(offer));
    }
    expect(lowestCost).toBe(own.map(blended).toSorted((one, other) => one - other)[0]);
    expect(limits.contextLength).toBe(own.map(({ context }) => context).toSorted((a, b) => b - a)[0]);
    expect(limits.maxOutputTokens).toBe(own.map(({ maxOutput }) => maxOutput).toSorted((a, b) => b - a)[0]);
  }
});

test('grouped with showAll includes hidden offers', async () => {
  const { data, total } = await ask(await newTenant(), 'grouped?showAll=true');
  expect(total).toBe(json.models.length);
  expect(data.flatMap(({ providers }: Group) => providers)).toHaveLength(offers.length);
});

test('grouped by category returns its models alone', async () => {
  const tenant = await newTenant();
  const { data, stats } = await ask(tenant, 'grouped?category=embedding&showAll=true');
  expect(data.map(({ baseModel }: Group) => baseModel).toSorted()).toEqual(
    json.models.flatMap(({ id, category }) => (category === 'embedding' ? [id] : [])).toSorted(),
  );
  expect(data[0]).toMatchObject({ uiCategory: 'embedding', maxOutputTokens: 0 });
  expect(stats.uniqueBaseModels).toBe(json.models.length);
  expect((await ask(tenant, 'grouped?category=none')).data).toEqual([]);
});

test('popular models come first', async () => {
  const { data } = await ask(await newTenant(), 'grouped');
  const priorities = data.map(({ uiPriority = 1_000 }) => uiPriority);
  expect(priorities).toEqual(priorities.toSorted((one: number, other: number) => one - other));
  expect(data[0].tags).toContain('popular');
});

test('grouped shows the configs and keys of the tenant', async () => {
  const tenant = await newTenant();
  await newProviderKey(tenant, { provider: 'groq' });
  const { id } = await newConfig(tenant, { provider: 'groq', modelId: 'openai/gpt-oss-120b' });
  const { data, total } = await ask(tenant, 'grouped?configured=true');
  expect(total).toBe(1);
  expect(data).toMatchObject([
    {
      baseModel: 'gpt-oss-120b',
      isConfigured: true,
      configuredProviders: ['groq'],
      configuredConfigs: [{ id, provider: 'groq', modelId: 'openai/gpt-oss-120b' }],
    },
  ]);
  const statuses = new Map(
    data[0].providers.map((each: Group['providers'][0]) => [each.provider, each.keyStatus]),
  );
  expect([statuses.get('groq'), statuses.get('togetherai')]).toEqual(['custom', 'needs_setup']);
  const stranger = await ask(await newTenant(), 'grouped?configured=true');
  expect(stranger).toMatchObject({ data: [], total: 0 });
});

test('a config of a hidden offer makes its model configured', async () => {
  const tenant = await newTenant();
  await newConfig(tenant, { provider: 'bedrock', modelId: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' });
  const { data } = await ask(tenant, 'grouped?configured=true');
  expect(data).toMatchObject([{ baseModel: 'claude-sonnet-4-5', configuredProviders: ['bedrock'] }]);
});

test('grouped tells what a model can do about reasoning', async () => {
  const { data } = await ask(await newTenant(), 'grouped?showAll=true');
  const reasoningOf = (name: string) =>
    data.find(({ baseModel }: Group) => baseModel === name).reasoningCapability;
  expect(reasoningOf('gpt-4o')).toEqual({ supported: false });
  expect(reasoningOf('gemini-2.5-pro')).toMatchObject({ supported: true, googleThinkingMode: 'budget' });
  expect(reasoningOf('gemini-3.8-flash')).toMatchObject({ provider: 'google', googleThinkingMode: 'level' });
});

test('available shows every visible offer, and counts the whole catalog', async () => {
  const tenant = await newTenant();
  const { id } = await newConfig(tenant, { modelId: 'gpt-4o' });
  await newConfig(tenant, { modelId: 'gpt-4o' });
  await tenant.call('PATCH', `/v1/model-configs/${id}/default`);
  const { data, stats, total } = await ask(tenant, 'available');
  expect(total).toBe(shown.length);
  expect(data).toHaveLength(shown.length);
  const popular = new Set(json.models.flatMap((model) => (model.tags.includes('popular') ? [model.id] : [])));
  expect(stats).toEqual({
    configured: 1,
    popular: shown.filter(({ base }) => popular.has(base)).length,
    totalAvailable: offers.length,
    uiVisible: shown.length,
  });
  const gpt4o = data.filter(({ modelId }: { modelId: string }) => modelId === 'gpt-4o');
  expect(gpt4o).toEqual([
    {
      id: null,
      provider: 'openai',
      modelId: 'gpt-4o',
      displayName: 'GPT-4o',
      costPer1kTokens: 0.004375,
      contextLength: 128_000,
      maxOutputTokens: 16_384,
      isConfigured: true,
      isDefault: true,
      isEnabled: true,
      keyStatus: 'needs_setup',
      supportedResponseFormats: ['text', 'JSON'],
      supportsCustomKey: true,
      supportsSearch: true,
      supportsStreaming: true,
      tags: ['vision', 'tools'],
      uiCategory: 'general',
    },
  ]);
  expect((await ask(tenant, 'available?showAll=true&category=embedding')).data).toHaveLength(
    offers.filter(({ maxOutput }) => maxOutput === 0).length,
  );
});

test.each(['available?showAll=yes', 'grouped?configured=1', 'grouped?showAll='])(
  '400 for %s',
  async (path) => {
    const { call } = await newTenant();
    await expectStatus(400, call('GET', `/v1/model-configs/${path}`));
  },
);

test('search providers show whose key a search uses', async () => {
  const tenant = await newTenant();
  const key = await newProviderKey(tenant, { provider: 'tavily' });
  const { data, total } = await ask(tenant, 'search-capable');
  expect(total).toBe(3);
  expect(data).toEqual([
    expect.objectContaining({ id: 'exa', keyStatus: 'needs_setup' }),
    {
      id: 'tavily',
      name: 'tavily',
      provider: 'tavily',
      displayLabel: 'Tavily',
      keyStatus: 'custom',
      supportsCustomKey: true,
    },
    expect.objectContaining({ id: 'brave', keyStatus: 'needs_setup' }),
  ]);
  expect(await ask(tenant, 'search-configured')).toEqual({ data: [data[1]], total: 1 });
  await tenant.call('PATCH', `/v1/provider-keys/${key.id}`, { body: { isActive: false } });
  expect(await ask(tenant, 'search-configured')).toEqual({ data: [], total: 0 });
});

test('a config of a dated version makes its model configured', async () => {
  const tenant = await newTenant();
  const { id } = await newConfig(tenant, { modelId: 'gpt-4o-mini-2024-07-18' });
  const { data } = await ask(tenant, 'grouped?configured=true');
  expect(data).toMatchObject([{ baseModel: 'gpt-4o-mini', configuredConfigs: [{ id }] }]);
});
