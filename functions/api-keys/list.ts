import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { responseBytesMax, takeWithinBytes } from '../../shared/platform/http/envelope.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { ApiKeyResponse, toApiKeyResponse } from './schemas.ts';

export const listApiKeys = defineEndpoint({
  id: 'api-keys.list',
  method: 'GET',
  path: '/v1/api-keys',
  permission: 'authenticated',
  summary: 'List API keys',
  description:
    'Returns the keys without their values, newest first. A response holds up to 5 MB of them, `total` counts all. If there are more, continue with `before`, the id of the last key.',
  query: z.object({ before: idOf('key').optional() }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({ apiKeys: z.array(ApiKeyResponse), total: z.int(), timestamp: z.string() }),
    },
  },
  errors: [400],
  needs: { apiKeys: apiKeyStore, now: clock },

  async handle({ query: { before } }, { apiKeys, now }) {
    const keys = await apiKeys.list();
    const older = keys.filter(({ id }) => !before || id < before).map(toApiKeyResponse);
    const listed = takeWithinBytes(older, responseBytesMax);
    return { apiKeys: listed, total: keys.length, timestamp: now().toISOString() };
  },
});

export const handler = toLambda(listApiKeys);
