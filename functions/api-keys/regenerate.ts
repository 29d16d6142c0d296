import * as z from 'zod';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { testKeyValues } from '../../shared/domain/api-keys/test-key-values.ts';
import { deriveKeyFields, generateKey } from '../../shared/platform/auth/key-format.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ApiKeyParams, assertGrantable, ChangedApiKey, shownOnce, toApiKeyResponse } from './schemas.ts';

export const regenerateApiKey = defineEndpoint({
  id: 'api-keys.regenerate',
  method: 'POST',
  path: '/v1/api-keys/{id}/regenerate',
  permission: 'API_KEYS:WRITE',
  sessionOnly: true,
  summary: 'Rotate the value of an API key',
  description:
    'Requires a session. The old value is rejected from its next request on. The id, name, permissions and counters stay. The response returns the new value (`plainKey`) once; no other endpoint returns it.',
  params: ApiKeyParams,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ apiKey: ChangedApiKey, plainKey: z.string(), warning: z.string() }) },
  },
  shownOnce: ['plainKey'],
  errors: [400, 404, 409],
  needs: { apiKeys: apiKeyStore, values: testKeyValues },

  async handle({ params, principal }, { apiKeys, values }) {
    const key = await apiKeys.get(params.id);
    // The new value carries the key’s permissions, so the session needs them too.
    assertGrantable(principal, key.permissions);
    const plainKey = generateKey(key.environment);
    const isTest = key.environment === 'test';
    const alsoWrite = isTest ? [await values.createWrite(key.id, plainKey)] : [];
    const renewed = await apiKeys.renew(principal, key, deriveKeyFields(plainKey), alsoWrite);
    return { apiKey: toApiKeyResponse(renewed), plainKey, warning: shownOnce };
  },
});

export const handler = toLambda(regenerateApiKey);
