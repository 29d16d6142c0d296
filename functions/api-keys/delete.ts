import * as z from 'zod';
import { keyRemoval } from '../../shared/domain/api-keys/key-removal.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ApiKeyParams } from './schemas.ts';

export const deleteApiKey = defineEndpoint({
  id: 'api-keys.delete',
  method: 'DELETE',
  path: '/v1/api-keys/{id}',
  permission: 'API_KEYS:WRITE',
  sessionOnly: true,
  summary: 'Delete an API key',
  description: 'Requires a session. The key is rejected from its next request on.',
  params: ApiKeyParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean(), message: z.string() }) } },
  errors: [400, 404, 409],
  needs: { removeKey: keyRemoval },

  async handle({ params, principal }, { removeKey }) {
    await removeKey(principal, params.id);
    return { success: true, message: 'The API key was deleted' };
  },
});

export const handler = toLambda(deleteApiKey);
