import * as z from 'zod';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ApiKeyParams, ChangedApiKey, toApiKeyResponse } from './schemas.ts';

export const getApiKey = defineEndpoint({
  id: 'api-keys.get',
  method: 'GET',
  path: '/v1/api-keys/{id}',
  permission: 'authenticated',
  summary: 'Get an API key',
  description: 'Returns the key’s settings, never its value.',
  params: ApiKeyParams,
  response: { kind: 'json', bodies: { 200: z.object({ apiKey: ChangedApiKey, timestamp: z.string() }) } },
  errors: [400, 404],
  needs: { apiKeys: apiKeyStore, now: clock },

  async handle({ params }, { apiKeys, now }) {
    return { apiKey: toApiKeyResponse(await apiKeys.get(params.id)), timestamp: now().toISOString() };
  },
});

export const handler = toLambda(getApiKey);
