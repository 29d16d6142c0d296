import { beforeEach, expect, test } from 'vitest';
import { loadCatalog } from '../../../../shared/adapters/models/catalog.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { deploymentKeys, modelWorld } from '../../../support/models/model-world.ts';

beforeEach(() =>
  deploymentKeys({
    OPENAI_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    GOOGLE_GENERATIVE_AI_API_KEY: 'k',
    GENERIC_OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1',
  }),
);

test('the limits and prices are those of the catalog, by every name of the model', async () => {
  const offer = (await loadCatalog()).offer('openai', 'gpt-5-mini');
  const { config, resolver } = modelWorld();
  const { id } = await config({ provider: 'openai', modelId: 'gpt-5-mini', settings: { maxTokens: 50 } });
  for (const name of [id, 'default', 'openai/gpt-5-mini', 'gpt-5-mini']) {
    expect(await resolver().limits(name)).toEqual({
      contextTokens: offer?.context,
      outputTokens: offer?.maxOutput,
      maxTokens: 50,
      prices: [{ above: 0, input: offer?.price.input, output: offer?.price.output }],
    });
  }
});

test('the input rate is the highest one, and every tier is listed', async () => {
  const { limits } = modelWorld().resolver();
  const { offers } = { offers: (await loadCatalog()).models.flatMap((model) => model.offers) };
  const dearCache = offers.find(
    ({ provider, price, hidden }) =>
      provider === 'anthropic' && !hidden && Number(price.cacheWrite) > Number(price.input),
  );
  expect((await limits(`anthropic/${dearCache?.id}`)).prices?.[0]?.input).toBe(dearCache?.price.cacheWrite);
  const tiered = offers.find(({ provider, price }) => provider === 'google' && price.tiers);
  const { prices } = await limits(`google/${tiered?.id}`);
  expect(prices?.map(({ above }) => above)).toEqual([
    0,
    ...(tiered?.price.tiers ?? []).map(({ above }) => above),
  ]);
});

test('of a model that nobody knows nothing is known', async () => {
  expect(await modelWorld().resolver().limits('generic-openai/unheard-of')).toEqual({});
});

test('a custom model has the limit and the prices of its config', async () => {
  const { config, resolver } = modelWorld();
  const customModel = { displayName: 'Ours', inputCostPer1kTokens: 0.1, outputCostPer1kTokens: 0.3 };
  const settings = { customModel: { ...customModel, maxOutputTokens: 999 } } as never;
  const { id } = await config({ provider: 'generic-openai', modelId: 'ours', settings });
  expect(await resolver().limits(id)).toEqual({
    outputTokens: 999,
    prices: [{ above: 0, input: '100', output: '300' }],
  });
});

test('a name without a model has no limits but an error', async () => {
  expect((await stepFailure(modelWorld().resolver().limits('unheard-of'))).message).toContain(
    'no model unheard-of',
  );
});
