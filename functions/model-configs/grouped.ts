import * as z from 'zod';
import { catalogLists } from '../../shared/domain/model-configs/catalog-lists.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { GroupedQuery, toCatalogFilter } from './catalog-query.ts';
import { BlendedCost, KeyStatus, ReasoningCapability, TokenCosts } from './schemas.ts';

const ProviderOption = z.object({
  provider: z.string(),
  providerDisplayName: z.string(),
  modelId: z.string(),
  costPer1kTokens: BlendedCost,
  ...TokenCosts,
  hasPlatformKey: z.boolean(),
  keyStatus: KeyStatus.optional(),
});

const GroupedModel = z
  .object({
    baseModel: z.string(),
    displayName: z.string(),
    creator: z.string(),
    creatorDisplayName: z.string(),
    tags: z.array(z.string()),
    contextLength: z.int(),
    maxOutputTokens: z.int(),
    providers: z.array(ProviderOption),
    lowestCost: z.number().meta({ description: 'The lowest `costPer1kTokens` of its providers' }),
    isConfigured: z.boolean(),
    configuredProviders: z.array(z.string()),
    configuredConfigs: z.array(z.object({ id: z.string(), provider: z.string(), modelId: z.string() })),
    reasoningCapability: ReasoningCapability.optional(),
    uiCategory: z.string().optional(),
    uiPriority: z.number().optional(),
  })
  .meta({
    id: 'GroupedModel',
    examples: [
      {
        baseModel: 'gpt-5-mini',
        displayName: 'GPT-5 mini',
        creator: 'openai',
        creatorDisplayName: 'OpenAI',
        tags: ['reasoning', 'vision', 'tools'],
        contextLength: 400_000,
        maxOutputTokens: 128_000,
        providers: [
          {
            provider: 'openai',
            providerDisplayName: 'OpenAI',
            modelId: 'gpt-5-mini',
            costPer1kTokens: 0.0006875,
            inputCostPer1kTokens: 0.00025,
            outputCostPer1kTokens: 0.002,
            hasPlatformKey: true,
            keyStatus: 'platform',
          },
        ],
        lowestCost: 0.0006875,
        isConfigured: false,
        configuredProviders: [],
        configuredConfigs: [],
        reasoningCapability: { supported: true, provider: 'openai', supportsReasoningSummary: true },
        uiCategory: 'fast',
        uiPriority: 1,
      },
    ],
  });

const Stats = z.object({
  totalModels: z.int(),
  uniqueBaseModels: z.int(),
  providersWithPlatformKeys: z.array(z.string()),
});

export const groupedModels = defineEndpoint({
  id: 'model-configs.grouped',
  method: 'GET',
  path: '/v1/model-configs/grouped',
  permission: 'authenticated',
  summary: 'List the models of the catalog with their providers',
  description:
    'Returns each base model once, with every provider that has it, popular ones first. `total` counts the returned ones; `stats` counts the whole catalog.',
  query: GroupedQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(GroupedModel), stats: Stats, total: z.int() }) },
  },
  errors: [400],
  needs: { catalog: catalogLists },
  handle: ({ query }, { catalog }) => catalog.grouped(toCatalogFilter(query)),
});

export const handler = toLambda(groupedModels);
