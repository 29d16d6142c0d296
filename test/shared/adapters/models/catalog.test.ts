import { expect, test } from 'vitest';
import { priceOf, resolveModel } from '../../../../shared/adapters/models/catalog.ts';

const openai = { OPENAI_API_KEY: 'k' };
const generic = { GENERIC_OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1' };

test.each([
  ['openai/gpt-5-mini', openai, 'openai', 'gpt-5-mini'],
  ['openai/not-in-the-catalog', openai, 'openai', 'not-in-the-catalog'],
  ['generic-openai/meta/llama3.2', generic, 'generic-openai', 'meta/llama3.2'],
  ['gpt-5-mini', { ...openai, ...generic }, 'openai', 'gpt-5-mini'],
  ['gpt-5-mini', generic, 'generic-openai', 'gpt-5-mini'],
  ['claude-sonnet-4-5', { ...openai, ANTHROPIC_API_KEY: 'k' }, 'anthropic', 'claude-sonnet-4-5'],
  ['gemini-2.5-pro', { GOOGLE_GENERATIVE_AI_API_KEY: 'k' }, 'google', 'gemini-2.5-pro'],
])('%s with %j is %s %s', async (name, keys, provider, modelId) => {
  expect(await resolveModel(name, keys)).toMatchObject({ provider, modelId });
});

test.each([
  [
    'nowhere/gpt-5',
    openai,
    'There is no model provider nowhere; expected one of openai, anthropic, google, bedrock, xai, groq, togetherai, mistral, generic-openai',
  ],
  ['constructor/gpt-5', openai, 'There is no model provider constructor'],
  ['anthropic/claude', openai, 'The model provider anthropic is not configured: set ANTHROPIC_API_KEY'],
  [
    'generic-openai/x',
    openai,
    'The model provider generic-openai is not configured: set GENERIC_OPENAI_BASE_URL',
  ],
  ['no-such-model', { ...openai, ...generic }, 'The catalog has no model no-such-model'],
  [
    'claude-sonnet-4-5',
    openai,
    'No configured model provider has claude-sonnet-4-5; configure one with OPENAI',
  ],
])('%s with %j is rejected: %s', async (name, keys, message) => {
  await expect(resolveModel(name, keys)).rejects.toThrow(message);
});

test('prices come from the provider’s catalog, for a generic server by its URL or the model', async () => {
  const listed = await priceOf(await resolveModel('openai/gpt-5-mini', openai));
  expect(listed).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
  expect(await priceOf(await resolveModel('generic-openai/gpt-5-mini', generic))).toEqual(listed);
  expect(await priceOf(await resolveModel('generic-openai/my-own', generic))).toBeNull();
  expect(await priceOf(await resolveModel('openai/claude-sonnet-4-5', openai))).toBeNull();
  const groq = { GENERIC_OPENAI_BASE_URL: 'https://api.groq.com/openai/v1' };
  expect(await priceOf(await resolveModel('generic-openai/llama-3.1-8b-instant', groq))).not.toBeNull();
});
