import * as z from 'zod';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { newApiKey } from '../../shared/domain/api-keys/new-api-key.ts';
import { testKeyValues } from '../../shared/domain/api-keys/test-key-values.ts';
import { generateKey } from '../../shared/platform/auth/key-format.ts';
import { clock, ids } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import {
  assertGrantable,
  ChangedApiKey,
  CreateApiKeyBody,
  parseFutureDate,
  shownOnce,
  toApiKeyResponse,
} from './schemas.ts';

export const createApiKey = defineEndpoint({
  id: 'api-keys.create',
  method: 'POST',
  path: '/v1/api-keys',
  permission: 'API_KEYS:WRITE',
  sessionOnly: true,
  summary: 'Create an API key',
  description:
    'Requires a session. The response returns the key (`plainKey`) once; no other endpoint returns it. 409 if the tenant has 200 keys.',
  body: CreateApiKeyBody,
  response: {
    kind: 'json',
    bodies: {
      201: z.object({
        apiKey: ChangedApiKey,
        plainKey: z.string(),
        warning: z.string(),
      }),
    },
  },
  shownOnce: ['plainKey'],
  errors: [400, 409],
  needs: { apiKeys: apiKeyStore, values: testKeyValues, now: clock, newId: ids },

  async handle({ body: { rateLimits, environment, ...body }, principal }, { apiKeys, values, now, newId }) {
    assertGrantable(principal, body.permissions);
    await apiKeys.assertRoom();
    const expiresAt = parseFutureDate(body.expiresAt ?? null, now());
    const plainKey = generateKey(environment);
    const { userId, organizationId } = principal;
    const draft = { userId, organizationId, ...body, ...rateLimits, expiresAt };
    const apiKey = newApiKey({ newId }, plainKey, draft);
    const isTest = environment === 'test';
    await apiKeys.create(principal, apiKey, isTest ? [await values.createWrite(apiKey.id, plainKey)] : []);
    return {
      apiKey: toApiKeyResponse(apiKey),
      plainKey,
      warning: shownOnce,
    };
  },
});

export const handler = toLambda(createApiKey);
