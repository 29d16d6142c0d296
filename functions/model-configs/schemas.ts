import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import { ConfigSettings } from '../../shared/domain/model-configs/config-settings.ts';
import { ModelProvider } from '../../shared/domain/model-configs/model-account.ts';
import { CallLimitsChange, ShownLimits } from '../../shared/domain/throttles/limits.ts';

export const ConfigParams = z.object({ id: resourceId('modelcfg') });

export const KeyStatus = z.enum(['platform', 'custom', 'needs_setup']).meta({
  description:
    'Whose key calls use: `custom` the tenant’s own, `platform` the deployment’s. With `needs_setup`, calls fail',
});

const Cost = z.number().meta({ description: 'USD per 1,000 tokens' });
export const BlendedCost = z.number().meta({
  description: 'USD per 1,000 tokens, three quarters of them input; of embedding models the price of input',
});
export const TokenCosts = { inputCostPer1kTokens: Cost, outputCostPer1kTokens: Cost };

export const ReasoningCapability = z
  .object({
    supported: z.boolean(),
    provider: z.string().optional(),
    supportsReasoningSummary: z.boolean().optional(),
    googleThinkingMode: z.enum(['budget', 'level']).optional(),
  })
  .meta({ id: 'ReasoningCapability' });

export const CreateConfigBody = z
  .strictObject({
    provider: ModelProvider,
    modelId: nameUpTo(200),
    providerKeyId: resourceId('providerkey').optional().meta({
      description:
        'The only key that calls may use; without it the tenant’s default key, else the deployment’s',
    }),
    settings: ConfigSettings.optional(),
    limits: CallLimitsChange.optional(),
  })
  .meta({
    examples: [
      {
        provider: 'anthropic',
        modelId: 'claude-sonnet-4-5',
        settings: { temperature: 0.2, maxTokens: 2_000 },
      },
    ],
  });

export const UpdateConfigBody = z
  .strictObject({
    isDefault: z.boolean().optional(),
    isEnabled: z.boolean().optional(),
    providerKeyId: resourceId('providerkey').nullable().optional(),
    settings: ConfigSettings.optional(),
    limits: CallLimitsChange.optional(),
  })
  .meta({ examples: [{ isDefault: true, settings: { temperature: 0.7 } }] });

/** A config as responses show it. Costs and limits are missing if the catalog does not list the model. */
export const ModelConfigResponse = z
  .object({
    id: z.string(),
    provider: z.string(),
    modelId: z.string(),
    displayName: z.string(),
    creator: z.string().optional(),
    creatorDisplayName: z.string().nullable().optional(),
    isDefault: z.boolean(),
    isEnabled: z.boolean(),
    keyStatus: KeyStatus,
    providerKeyId: z.string().nullable(),
    settings: z.record(z.string(), z.unknown()),
    limits: ShownLimits,
    configScope: z.string(),
    costPer1kTokens: BlendedCost.optional(),
    inputCostPer1kTokens: Cost.optional(),
    outputCostPer1kTokens: Cost.optional(),
    maxOutputTokens: z.int().optional(),
    reasoningCapability: ReasoningCapability.optional(),
    supportedResponseFormats: z.array(z.string()),
    supportsCustomKey: z.boolean(),
    supportsSearch: z.boolean().meta({ description: 'Whether the model can use the built-in web search' }),
    supportsStreaming: z.boolean(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({
    id: 'ModelConfig',
    examples: [
      {
        id: 'modelcfg_01k9m4v7d3x8qz5w2r6t0y1hbn',
        provider: 'anthropic',
        modelId: 'claude-sonnet-4-5',
        displayName: 'Claude Sonnet 4.5',
        creator: 'anthropic',
        creatorDisplayName: 'Anthropic',
        isDefault: true,
        isEnabled: true,
        keyStatus: 'platform',
        providerKeyId: null,
        settings: { temperature: 0.2, maxTokens: 2_000 },
        limits: { requestsPerMinute: 600 },
        configScope: 'user',
        costPer1kTokens: 0.006,
        inputCostPer1kTokens: 0.003,
        outputCostPer1kTokens: 0.015,
        maxOutputTokens: 64_000,
        reasoningCapability: { supported: true, provider: 'anthropic', supportsReasoningSummary: true },
        supportedResponseFormats: ['text', 'JSON'],
        supportsCustomKey: true,
        supportsSearch: true,
        supportsStreaming: true,
        userId: 'ada',
        organizationId: null,
        createdAt: '2026-11-22T09:30:00.000Z',
        updatedAt: '2026-11-22T09:30:00.000Z',
      },
    ],
  });
