import { calcPrice } from '@pydantic/genai-prices';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { creators } from '../../../../infra/operations/catalog/additions.ts';
import json from '../../../../shared/adapters/models/catalog.json' with { type: 'json' };
import {
  type CatalogData,
  isListed,
  loadCatalog,
  modelCacheTokensMin,
  modelPrice,
} from '../../../../shared/adapters/models/catalog.ts';
import { callCost } from '../../../../shared/adapters/models/cost.ts';
import { providerNames } from '../../../../shared/adapters/models/providers/provider-names.ts';

const data = json as CatalogData;

const Decimal = z.string().regex(/^(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/);
const Rates = {
  input: Decimal,
  output: Decimal.optional(),
  cacheRead: Decimal.optional(),
  cacheWrite: Decimal.optional(),
};
const yes = z.literal(true).optional();

test('every model and every offer of the catalog has a valid shape', () => {
  const BaseModel = z.strictObject({
    id: z.string().min(1),
    name: z.string().min(1),
    creator: z.enum(Object.keys(creators)),
    category: z.enum(['flagship', 'general', 'fast', 'coding', 'embedding']),
    tags: z.array(z.enum(['popular', 'reasoning', 'vision', 'tools'])),
    priority: z.int().optional(),
    cacheTokensMin: z.int().min(1).optional(),
  });
  const Offer = z.strictObject({
    base: z.enum(data.models.map(({ id }) => id)),
    provider: z.enum(providerNames).exclude(['generic-openai']),
    id: z.string().min(1),
    name: z.string().min(1),
    context: z.int().min(500),
    maxOutput: z.int().min(0),
    reasoning: yes,
    vision: yes,
    tools: yes,
    hidden: yes,
    price: z.strictObject({
      ...Rates,
      tiers: z.array(z.strictObject({ above: z.int().min(1), ...Rates })).optional(),
    }),
  });
  z.array(BaseModel).min(100).parse(data.models);
  z.array(Offer).min(200).parse(data.offers);
});

test('names are unique, and every base model has an offer', () => {
  const names = data.offers.map(({ provider, id }) => `${provider}/${id}`);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(data.models.map(({ id }) => id))).toEqual(new Set(data.offers.map(({ base }) => base)));
});

test('each provider lists each base model at most once without showAll', () => {
  const shown = data.offers
    .filter(({ hidden }) => !hidden)
    .map(({ base, provider }) => `${base} ${provider}`);
  expect(new Set(shown).size).toBe(shown.length);
});

/** The names of our providers in the other package. */
const otherNames: Partial<Record<string, string>> = { bedrock: 'aws', xai: 'x-ai', togetherai: 'together' };

/** Where the other source takes the price of another model, or knows fewer regions. */
const exceptions = [
  /^bedrock\/(?:us-gov|eu|apac|ca|jp)\./,
  /^bedrock\/amazon\.titan-embed-text-v2/,
  /^groq\/openai\/gpt-oss-safeguard-20b$/,
  // It charges embeddings for an output that they do not have.
  /^mistral\/mistral-embed$/,
  // Aliases that have moved since.
  /^mistral\/mistral-(?:large|small)-latest$/,
];

/** Where the other source has another price for caches or long inputs: of an older model, of a preview, or none. */
const exceptionsBeyond = [
  /claude-sonnet-5-5/,
  // Over 200,000 tokens of input, which the model takes only in a preview.
  /^anthropic\/claude-sonnet-4-5/,
  /^mistral\/(?:.*-latest|mistral-medium-3\.5|open-mistral-nemo|pixtral-12b)$/,
];

test.each<[string, number, number, readonly RegExp[], number]>([
  ['short inputs', 1_000, 0, [], 200],
  ['inputs with cached tokens', 1_000, 500, exceptionsBeyond, 180],
  ['inputs beyond the start of a tier', 300_000, 0, exceptionsBeyond, 180],
  ['such inputs with cached tokens', 300_000, 100_000, exceptionsBeyond, 180],
])(
  'costs of %s equal those of another source, where it lists the same model',
  (_what, inputTokens, cacheReadTokens, beyond, least) => {
    const compared = data.offers.flatMap(({ provider, id, price }) => {
      const name = `${provider}/${id}`;
      if ([...exceptions, ...beyond].some((pattern) => pattern.test(name))) return [];
      const usage = { inputTokens, cacheReadTokens, outputTokens: price.output ? 1_000 : 0 };
      const theirs = { input_tokens: inputTokens, cache_read_tokens: cacheReadTokens, output_tokens: 1_000 };
      const other = calcPrice(theirs, id, { providerId: otherNames[provider] ?? provider });
      return other ? [{ name, own: Number(callCost(price, usage)), other: other.total_price }] : [];
    });
    expect(compared.length).toBeGreaterThanOrEqual(least);
    expect(compared.filter(({ own, other }) => Math.abs(own - other) > 1e-9 * own)).toEqual([]);
  },
);

test.each([
  ['openai', 'gpt-5-mini', '0.25', '2'],
  ['openai', 'gpt-4o-mini-2024-07-18', '0.15', '0.6'],
  ['anthropic', 'claude-sonnet-4-5', '3', '15'],
  ['generic-openai', 'gpt-5-mini', '0.25', '2'],
  ['generic-openai', 'llama-3.1-8b-instant', '0.05', '0.08'],
] as const)('the price of %s/%s', async (provider, modelId, input, output) => {
  expect(await modelPrice({ provider, modelId })).toMatchObject({ input, output });
});

test('the catalog has no price for models that it does not list, nor for those of another provider', async () => {
  expect(await modelPrice({ provider: 'generic-openai', modelId: 'my-own' })).toBeNull();
  expect(await modelPrice({ provider: 'openai', modelId: 'claude-sonnet-4-5' })).toBeNull();
  expect(await modelPrice({ provider: 'openai', modelId: 'gpt-of-nobody' })).toBeNull();
  expect(await isListed('gpt-of-nobody')).toBe(false);
});

test('a model’s own price is used before the catalog’s', async () => {
  const price = { input: '1', output: '2' };
  expect(await modelPrice({ provider: 'openai', modelId: 'gpt-5-mini', price })).toBe(price);
});

test('a base model is found at all its providers, by the name of any of them', async () => {
  const catalog = await loadCatalog();
  const providers = (name: string) => catalog.offersNamed(name).map(({ provider }) => provider);
  expect(new Set(providers('claude-sonnet-4-5'))).toEqual(new Set(['anthropic', 'bedrock']));
  expect(new Set(providers('gpt-oss-120b'))).toEqual(new Set(['bedrock', 'groq', 'togetherai']));
  expect(catalog.offer('groq', 'openai/gpt-oss-120b')?.base).toBe('gpt-oss-120b');
  expect(catalog.offersNamed('constructor')).toEqual([]);
});

test('every model of Anthropic has a minimum for caches, and a price for reading and writing them', async () => {
  const theirs = data.offers.filter(({ base }) => base.startsWith('claude-'));
  expect(theirs.length).toBeGreaterThan(50);
  for (const { provider, id, price } of theirs) {
    expect(await modelCacheTokensMin({ provider, modelId: id }), id).toBeGreaterThanOrEqual(512);
    expect(Number(price.cacheWrite) / Number(price.input), id).toBeCloseTo(1.25, 6);
    expect(Number(price.cacheRead) / Number(price.input), id).toBeLessThanOrEqual(0.1001);
  }
});

test.each([
  ['claude-haiku-4-5', 4_096],
  ['claude-opus-4-5', 4_096],
  ['claude-opus-4-6', 4_096],
  ['claude-opus-4-7', 2_048],
  ['claude-opus-4-8', 1_024],
  ['claude-sonnet-4-5', 1_024],
  ['claude-sonnet-4-6', 1_024],
  ['claude-sonnet-5', 1_024],
  ['claude-sonnet-5-5', 512],
  ['claude-opus-5', 512],
  ['claude-fable-5-1', 512],
])('%s caches from %i tokens on', async (modelId, tokens) => {
  expect(await modelCacheTokensMin({ provider: 'anthropic', modelId })).toBe(tokens);
});
