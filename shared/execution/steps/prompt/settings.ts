import type { ModelReasoning, ModelSettings } from '../../../adapters/ports/model-port.ts';
import { definedOf } from '../../../core/defined.ts';
import type { Config } from '../../../domain/flows/step-types/prompt.ts';
import { reasoningOf } from '../../../domain/flows/steps/reasoning.ts';

/** How the model writes its response. */
export function settingsOf(config: Config): { settings: ModelSettings; reasoning?: ModelReasoning } {
  const { temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = config;
  const reasoning = reasoningOf(config.reasoning);
  return {
    settings: definedOf({ temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed }),
    ...(reasoning && { reasoning }),
  };
}
