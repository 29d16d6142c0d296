import type { Tenant } from '../stack/stack.ts';
import { newConfig } from './model-configs.ts';

/** A model config with limits, whose model says when it was asked. */
export async function limitedModel(
  { call }: Pick<Tenant, 'call'>,
  limits: object,
  { mapping = 'clock', ...body }: { mapping?: string; providerKeyId?: string } = {},
) {
  const customModel = {
    displayName: 'Limited',
    inputCostPer1kTokens: 0.001,
    outputCostPer1kTokens: 0.001,
    maxOutputTokens: 100,
    executorConfig: { modelMapping: mapping },
  };
  const config = await newConfig(
    { call },
    { provider: 'generic-openai', modelId: mapping, settings: { customModel }, limits, ...body },
  );
  const model: string = config.id;
  return {
    id: model,
    config,
    step: (userPrompt = 'Hi') => ({ type: 'prompt', name: 'ask', config: { model, userPrompt } }),
    change: (changes: object) => call('PUT', `/v1/model-configs/${model}`, { body: { limits: changes } }),
  };
}
