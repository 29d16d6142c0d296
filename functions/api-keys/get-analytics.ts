import * as z from 'zod';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ApiKeyParams } from './schemas.ts';

export const apiKeyAnalyticsOfOne = defineEndpoint({
  id: 'api-keys.get-analytics',
  method: 'GET',
  path: '/v1/api-keys/{id}/analytics',
  permission: 'authenticated',
  summary: 'Get when an API key was last used',
  params: ApiKeyParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        analytics: z.object({ lastUsedAt: z.string().nullable() }),
        timestamp: z.string(),
      }),
    },
  },
  errors: [400, 404],
  needs: { apiKeys: apiKeyStore, now: clock },

  async handle({ params }, { apiKeys, now }) {
    const { lastUsedAt } = await apiKeys.get(params.id);
    return { analytics: { lastUsedAt }, timestamp: now().toISOString() };
  },
});

export const handler = toLambda(apiKeyAnalyticsOfOne);
