import * as z from 'zod';
import { catalogLists } from '../../shared/domain/model-configs/catalog-lists.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { CatalogQuery, toCatalogFilter } from './catalog-query.ts';
import { BlendedCost, KeyStatus } from './schemas.ts';

const AvailableModel = z
  .object({
    id: z.string().nullable(),
    modelId: z.string(),
    provider: z.string(),
    displayName: z.string(),
    costPer1kTokens: BlendedCost,
    contextLength: z.int().optional(),
    maxOutputTokens: z.int().optional(),
    isConfigured: z.boolean().meta({ description: 'Whether the tenant has a config of this model' }),
    isDefault: z.boolean(),
    isEnabled: z.boolean().meta({ description: 'Whether such a config is enabled' }),
    keyStatus: KeyStatus,
    supportedResponseFormats: z.array(z.string()).optional(),
    supportsCustomKey: z.boolean(),
    supportsSearch: z.boolean().meta({ description: 'Whether the model can use the built-in web search' }),
    supportsStreaming: z.boolean().optional(),
    tags: z.array(z.string()).optional(),
    uiCategory: z.string().optional(),
    uiPriority: z.number().optional(),
  })
  .meta({
    id: 'AvailableModel',
    examples: [
      {
        id: null,
        modelId: 'gpt-5-mini',
        provider: 'openai',
        displayName: 'GPT-5 mini',
        costPer1kTokens: 0.0006875,
        contextLength: 400_000,
        maxOutputTokens: 128_000,
        isConfigured: false,
        isDefault: false,
        isEnabled: false,
        keyStatus: 'needs_setup',
        supportedResponseFormats: ['text', 'JSON'],
        supportsCustomKey: true,
        supportsSearch: true,
        supportsStreaming: true,
        tags: ['reasoning', 'vision', 'tools'],
        uiCategory: 'fast',
        uiPriority: 1,
      },
    ],
  });

const Stats = z.object({
  configured: z.int(),
  popular: z.int(),
  totalAvailable: z.int(),
  uiVisible: z.int(),
});

export const availableModels = defineEndpoint({
  id: 'model-configs.available',
  method: 'GET',
  path: '/v1/model-configs/available',
  permission: 'authenticated',
  summary: 'List the models of the catalog',
  description:
    'Returns each model of each provider, popular ones first. `total` counts the returned ones; `stats` counts the whole catalog.',
  query: CatalogQuery,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ data: z.array(AvailableModel), stats: Stats, total: z.int() }) },
  },
  errors: [400],
  needs: { catalog: catalogLists },
  handle: ({ query }, { catalog }) => catalog.available(toCatalogFilter(query)),
});

export const handler = toLambda(availableModels);
