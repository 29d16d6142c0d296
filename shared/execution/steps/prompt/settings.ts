import type { ModelReasoning, ModelSettings } from '../../../adapters/ports/model-port.ts';
import { omitUndefined } from '../../../core/defined.ts';
import type { PromptConfig } from '../../../domain/flows/step-types/prompt.ts';
import { toModelReasoning } from '../../../domain/flows/steps/reasoning.ts';

/** How the model writes its response. */
export function promptSettings(config: PromptConfig): {
  settings: ModelSettings;
  reasoning?: ModelReasoning;
} {
  const { temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  const reasoning = toModelReasoning(config.reasoning);
  return {
    settings: omitUndefined({ temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed }),
    ...(reasoning && { reasoning }),
  };
}
