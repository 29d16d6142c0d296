import * as z from 'zod';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { testKeyVault } from '../../shared/domain/api-keys/test-key-vault.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
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
  needs: { apiKeys: apiKeyStore, vault: testKeyVault },

  async handle({ params, principal }, { apiKeys, vault }) {
    const key = await apiKeys.get(params.id);
    // Delete the stored value first: if that fails, the key still exists and the caller can retry.
    if (key.environment === 'test') await vault.delete(key.id);
    await apiKeys.remove(principal, key);
    return { success: true, message: 'The API key was deleted' };
  },
});

export const handler = toLambda(deleteApiKey);
