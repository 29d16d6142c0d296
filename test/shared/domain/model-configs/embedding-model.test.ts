import { beforeEach, expect, test } from 'vitest';
import { ConfigSettings } from '../../../../shared/domain/model-configs/config-settings.ts';
import { readModelAccount } from '../../../../shared/domain/model-configs/model-account.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { deploymentKeys, modelWorld } from '../../../support/models/model-world.ts';

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

test('a model behind a generic server is declared by its config, or by the deployment', async () => {
  deploymentKeys({
    GENERIC_OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1',
    GENERIC_OPENAI_EMBEDDING_MODEL: 'e5',
  });
  const { config, configs, resolver, principal, scope } = modelWorld();
  expect(await resolver().embeddingModel()).toBe('generic-openai/e5');
  const customModel = {
    displayName: 'BGE',
    category: 'embedding',
    dimensions: 512,
    inputCostPer1kTokens: 0,
    outputCostPer1kTokens: 0,
  };
  const { id } = await config({
    provider: 'generic-openai',
    modelId: 'bge-m3',
    settings: ConfigSettings.parse({ customModel }),
  });
  expect(await resolver().embeddingModel()).toBe('generic-openai/bge-m3');
  expect(await resolver().resolve('generic-openai/bge-m3')).toMatchObject({ dimensions: 512 });
  // It answers no prompts, so it is no default.
  const chat = await config({ provider: 'generic-openai', modelId: 'llama' });
  expect((await readModelAccount(scope.table)).defaults.modelConfigId).toBe(chat.id);
  await expect(configs.update(principal, id, { isDefault: true })).rejects.toMatchObject({
    details: [{ path: 'isDefault', code: 'INVALID_VALUE' }],
  });
});

test('without any, the error says what to do', async () => {
  deploymentKeys({ ANTHROPIC_API_KEY: 'k' });
  const { message } = await stepFailure(modelWorld().resolver().embeddingModel());
  expect(message).toContain('No embedding model is configured');
  expect(message).toContain('POST /v1/provider-keys');
  expect(message).toContain('customModel.category');
  expect(message).toContain('GENERIC_OPENAI_EMBEDDING_MODEL');
});
