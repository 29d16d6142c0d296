import type { ModelOffer } from '../../adapters/models/catalog.ts';
import type { ProviderName } from '../../adapters/models/providers/provider-names.ts';

interface ReasoningCapability {
  supported: boolean;
  provider?: string;
  supportsReasoningSummary?: boolean;
  googleThinkingMode?: 'budget' | 'level';
}

/** Providers that return a text of a model's reasoning. */
const withSummary: readonly ProviderName[] = ['openai', 'anthropic', 'google', 'bedrock', 'xai'];

/** What a model can do about reasoning, for the settings that a user interface offers. */
export function toReasoningCapability({
  provider,
  id,
  reasoning,
}: Pick<ModelOffer, 'id' | 'reasoning'> & { provider: ProviderName }) {
  if (!reasoning) return { supported: false };
  const capability: ReasoningCapability = {
    supported: true,
    provider,
    supportsReasoningSummary: withSummary.includes(provider),
    // Gemini 2.5 takes a number of tokens, later models a level.
    ...(provider === 'google' && { googleThinkingMode: id.startsWith('gemini-2.5') ? 'budget' : 'level' }),
  };
  return capability;
}

/** The formats that a prompt may ask any model for: providers without one of their own get instructions. */
export const responseFormats = ['text', 'JSON'];

export const creatorNames: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  xai: 'xAI',
  mistral: 'Mistral AI',
  meta: 'Meta',
  amazon: 'Amazon',
  alibaba: 'Alibaba Cloud',
  deepseek: 'DeepSeek',
  moonshot: 'Moonshot AI',
  minimax: 'MiniMax',
  nvidia: 'NVIDIA',
  zai: 'Z.ai',
  writer: 'Writer',
  cohere: 'Cohere',
  thinkingmachines: 'Thinking Machines',
  reflection: 'Reflection AI',
};
