import type { JsonSchema, ModelRequest } from '../ports/model-port.ts';
import type { CacheMarks } from './cache-marks.ts';
import { cachePointAfterTools } from './providers/bedrock-tools.ts';
import type { ProviderName } from './providers/provider-names.ts';
import { isStrictSchema } from './providers/strict-schema.ts';

type Options = Record<string, unknown>;

/** What the AI SDK's call options do not express, for each provider. */
export const providerOptionBuilders: Record<
  ProviderName,
  (modelId: string, request: ModelRequest, marks?: CacheMarks) => Record<string, Options> | undefined
> = {
  openai: (_modelId, { format, reasoning }) => ({
    // OpenAI would keep responses for 30 days. Without `null` the SDK requests a summary with every effort.
    openai: { ...strictnessOf(format), store: false, reasoningSummary: reasoning?.summary ?? null },
  }),
  anthropic: (_modelId, { reasoning }) => withBudget('anthropic', 'thinking', reasoning),
  google: (_modelId, { reasoning: { budgetTokens, summary } = {} }) =>
    budgetTokens !== undefined || summary
      ? {
          google: {
            thinkingConfig: {
              ...(budgetTokens !== undefined && { thinkingBudget: budgetTokens }),
              ...(summary && { includeThoughts: true }),
            },
          },
        }
      : undefined,
  // The SDK takes every model with a budget for one of Anthropic.
  bedrock: (modelId, { reasoning }, marks) => ({
    bedrock: {
      ...(/anthropic|^arn:/.test(modelId) && withBudget('bedrock', 'reasoningConfig', reasoning)?.bedrock),
      ...(marks?.afterTools && { [cachePointAfterTools]: true }),
    },
  }),
  // xAI would keep responses for 30 days.
  xai: () => ({ xai: { store: false } }),
  groq: (modelId, { format, reasoning }) => ({
    groq: {
      ...strictnessOf(format),
      // The models of OpenAI always separate their reasoning, and reject the parameter.
      ...(reasoning?.summary && !modelId.startsWith('openai/') && { reasoningFormat: 'parsed' }),
    },
  }),
  togetherai: (_modelId, { format }) => ({ openaiCompatible: strictnessOf(format) }),
  mistral: (_modelId, { format }) => ({ mistral: strictnessOf(format) }),
  'generic-openai': (_modelId, { format }) => ({ openaiCompatible: strictnessOf(format) }),
};

/** Providers that guarantee a schema reject those that they cannot guarantee. */
function strictnessOf(format: ModelRequest['format']): Options {
  const schema: JsonSchema | undefined = format?.type === 'json' ? format.schema : undefined;
  return schema ? { strictJsonSchema: isStrictSchema(schema) } : {};
}

const withBudget = (name: string, option: string, reasoning: ModelRequest['reasoning']) =>
  reasoning?.budgetTokens === undefined
    ? undefined
    : { [name]: { [option]: { type: 'enabled', budgetTokens: reasoning.budgetTokens } } };
