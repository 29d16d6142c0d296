import * as z from 'zod';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ApiKeyResponse, toApiKeyResponse } from './schemas.ts';

export const listApiKeys = defineEndpoint({
  id: 'api-keys.list',
  method: 'GET',
  path: '/v1/api-keys',
  permission: 'authenticated',
  summary: 'List API keys',
  description: 'Returns all keys, newest first, without their values.',
  response: {
    kind: 'json',
    bodies: {
      200: z.object({ apiKeys: z.array(ApiKeyResponse), total: z.int(), timestamp: z.string() }),
    },
  },
  needs: { apiKeys: apiKeyStore, now: clock },

  async handle(_request, { apiKeys, now }) {
    const keys = await apiKeys.list();
    return { apiKeys: keys.map(toApiKeyResponse), total: keys.length, timestamp: now().toISOString() };
  },
});

export const handler = toLambda(listApiKeys);
