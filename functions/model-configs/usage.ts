import * as z from 'zod';
import { recentUse } from '../../shared/domain/model-usage/usage-report.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const modelsMax = 1_000;

export const modelsInUse = defineEndpoint({
  id: 'model-configs.usage',
  method: 'GET',
  path: '/v1/model-configs/usage',
  permission: 'MODELS:READ',
  summary: 'List the models in use',
  description:
    'Returns each model that runs have called in the last twelve months, with the number of calls, the most recently used first, at most 1,000.',
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        data: z.array(
          z
            .object({
              provider: z.string(),
              modelId: z.string(),
              usageCount: z.int().nullable(),
              lastUsedAt: z.string().nullable(),
            })
            .meta({
              id: 'ModelInUse',
              examples: [
                {
                  provider: 'openai',
                  modelId: 'gpt-5-mini',
                  usageCount: 1_204,
                  lastUsedAt: '2026-11-22T09:30:00.000Z',
                },
              ],
            }),
        ),
        total: z.int(),
      }),
    },
  },
  needs: { uses: recentUse },

  async handle(_request, { uses }) {
    const models = await uses.readModels();
    return { data: models.slice(0, modelsMax), total: models.length };
  },
});

export const handler = toLambda(modelsInUse);
