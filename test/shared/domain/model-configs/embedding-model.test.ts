import { beforeEach, expect, test } from 'vitest';
import { failureOf } from '../../../support/failure-of.ts';
import { deploymentKeys, modelWorld } from '../../../support/model-world.ts';

beforeEach(() => deploymentKeys({}));
const openai = { provider: 'openai', modelId: 'text-embedding-3-large' } as const;
const local = { provider: 'generic-openai', modelId: 'nomic-embed-text' } as const;

test('the embedding model is that of a config, else the first of the catalog with a key', async () => {
  deploymentKeys({ OPENAI_API_KEY: 'k', GENERIC_OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1' });
  const { config, configs, principal, resolver } = modelWorld();
  const chosen = () => resolver().embeddingModel();
  await config({ provider: 'openai', modelId: 'gpt-5-mini' });
  expect(await chosen()).toBe('openai/text-embedding-3-small');
  const { id } = await config(local);
  expect(await chosen()).toBe('generic-openai/nomic-embed-text');
  await config(openai);
  expect(await chosen()).toBe('generic-openai/nomic-embed-text');
  await configs.update(principal, id, { isEnabled: false });
  expect(await chosen()).toBe('openai/text-embedding-3-large');
});

test('a disabled embedding model of the catalog is not chosen', async () => {
  deploymentKeys({ OPENAI_API_KEY: 'k' });
  const { config, configs, principal, resolver } = modelWorld();
  await config({ provider: 'openai', modelId: 'gpt-5-mini' });
  const { id } = await config({ provider: 'openai', modelId: 'text-embedding-3-small' });
  await configs.update(principal, id, { isEnabled: false });
  expect(await resolver().embeddingModel()).toBe('openai/text-embedding-3-large');
});

test('without any, the error says what to do', async () => {
  deploymentKeys({ ANTHROPIC_API_KEY: 'k' });
  const { message } = await failureOf(modelWorld().resolver().embeddingModel());
  expect(message).toContain('No embedding model is configured');
  expect(message).toContain('POST /v1/provider-keys');
});
