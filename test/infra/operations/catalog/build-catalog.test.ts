import { expect, test } from 'vitest';
import { buildCatalog } from '../../../../infra/operations/catalog/build-catalog.ts';
import { catalogDifferences } from '../../../../infra/operations/catalog/difference.ts';
import { baseModelId } from '../../../../infra/operations/catalog/offers.ts';
import type { PackageModel } from '../../../../infra/operations/catalog/read-package.ts';

const model = (id: string, more: Partial<PackageModel> = {}): PackageModel => ({
  id,
  name: id,
  type: 'chat',
  reasoning: false,
  input: ['text'],
  contextWindow: 1_000,
  maxTokens: 100,
  cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
  ...more,
});
const built = (...models: PackageModel[]) => buildCatalog(new Map([['openai', models]]));
const offerOf = (id: string, { data } = built()) => data.offers.find((offer) => offer.id === id);

test.each([
  ['anthropic', 'claude-haiku-4-5-20251001', 'claude-haiku-4-5'],
  ['bedrock', 'us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
  ['bedrock', 'global.anthropic.claude-opus-5-5', 'claude-opus-5-5'],
  ['bedrock', 'us-gov.openai.gpt-oss-120b-1:0', 'gpt-oss-120b'],
  ['bedrock', 'meta.llama3-1-8b-instruct-v1:0', 'llama-3.1-8b'],
  ['groq', 'llama-3.1-8b-instant', 'llama-3.1-8b'],
  ['groq', 'openai/gpt-oss-120b', 'gpt-oss-120b'],
  ['togetherai', 'zai-org/GLM-5.3', 'glm-5.3'],
  ['mistral', 'zai-glm-5-3', 'glm-5.3'],
  ['openai', 'gpt-4o-2024-08-06', 'gpt-4o'],
] as const)('the base model of %s/%s is %s', (provider, id, base) => {
  expect(baseModelId(provider, id)).toBe(base);
});

test('prices are the decimals of the package, without what arithmetic with doubles added', () => {
  const cost = { input: 0.1 + 0.2, output: 1e-7, cacheRead: 0.07500000000000001, cacheWrite: 0 };
  const tiers = [{ inputTokensAbove: 200_000, input: 0.6, output: 2, cacheRead: 0, cacheWrite: 0 }];
  expect(offerOf('gpt-x', built(model('gpt-x', { cost: { ...cost, tiers } })))?.price).toEqual({
    input: '0.3',
    output: '0.0000001',
    cacheRead: '0.075',
    tiers: [{ above: 200_000, input: '0.6', output: '2' }],
  });
});

test('a model without a price is left out and reported', () => {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const catalog = built(model('gpt-x'), model('gpt-free', { cost }));
  expect(catalog.unpriced).toEqual(['openai/gpt-free']);
  expect(offerOf('gpt-free', catalog)).toBeUndefined();
});

test('a model of an unknown creator stops the script, which says what to do', () => {
  expect(() => built(model('mystery-1'))).toThrow('Add the creator of mystery-1');
});

test('lists show one variant of a model', () => {
  const { data } = built(model('gpt-4o-2024-05-13'), model('gpt-4o'), model('gpt-x-preview'));
  expect(data.offers.filter(({ base, hidden }) => base.startsWith('gpt-') && !hidden)).toMatchObject([
    { id: 'gpt-4o' },
  ]);
});

test('the difference lists what was added, removed and changed', () => {
  const before = built(model('gpt-a'), model('gpt-b')).data;
  const cost = { input: 1.5, output: 2, cacheRead: 0, cacheWrite: 0 };
  const after = built(model('gpt-b', { cost, contextWindow: 2_000 }), model('gpt-c')).data;
  expect(catalogDifferences(before, after)).toEqual([
    'added openai/gpt-c',
    'removed openai/gpt-a',
    'context of openai/gpt-b: 1000 -> 2000',
    'price of openai/gpt-b: {"input":"1","output":"2"} -> {"input":"1.5","output":"2"}',
  ]);
  expect(catalogDifferences(before, before)).toEqual([]);
});
