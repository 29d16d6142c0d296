import * as z from 'zod';
import { type ApiKey, apiKeyStore, unused } from '../../shared/auth/api-key.ts';
import { generateKey, hashKey, keyPrefixOf, searchHintOf } from '../../shared/auth/key-format.ts';
import { covers } from '../../shared/auth/permissions.ts';
import { testKeyVault } from '../../shared/auth/test-key-vault.ts';
import { defineEndpoint } from '../../shared/http/endpoint.ts';
import { forbidden, invalidAt } from '../../shared/http/errors.ts';
import { toLambda } from '../../shared/http/lambda.ts';
import { clock, ids } from '../../shared/runtime.ts';
import { ApiKeyResponse, CreateApiKeyBody, toApiKeyResponse } from './schemas.ts';

export const createApiKey = defineEndpoint({
  id: 'api-keys.create',
  method: 'POST',
  path: '/v1/api-keys',
  permission: 'API_KEYS:WRITE',
  sessionOnly: true,
  summary: 'Create an API key',
  description: 'With a session only. The key itself (`plainKey`) is shown in this answer and never again.',
  body: CreateApiKeyBody,
  responses: {
    201: z.object({
      apiKey: ApiKeyResponse.extend({ allowedIps: z.array(z.string()) }).meta({ id: 'CreatedApiKey' }),
      plainKey: z.string(),
      warning: z.string(),
    }),
  },
  errors: [400, 415],
  needs: { apiKeys: apiKeyStore, vault: testKeyVault, now: clock, newId: ids },

  async handle({ body: { rateLimits, ...body }, principal }, { apiKeys, vault, now, newId }) {
    const beyond = body.permissions.find((permission) => !covers(principal.permissions, permission));
    if (beyond) throw forbidden(`Missing required permission: ${beyond}`);
    const createdAt = now();
    const expiresAt = body.expiresAt ? new Date(body.expiresAt) : null;
    if (expiresAt && expiresAt <= createdAt)
      throw invalidAt('expiresAt', 'IN_THE_PAST', 'Expected a moment to come');
    const plainKey = generateKey(body.environment);
    const apiKey: ApiKey = {
      ...body,
      ...rateLimits,
      id: newId('key'),
      userId: principal.userId,
      organizationId: principal.organizationId,
      hash: hashKey(plainKey),
      keyPrefix: keyPrefixOf(plainKey),
      searchHint: searchHintOf(plainKey),
      isActive: true,
      expiresAt: expiresAt?.toISOString() ?? null,
      createdAt: createdAt.toISOString(),
      updatedAt: createdAt.toISOString(),
      ...unused,
    };
    if (body.environment === 'test') await vault.keep(apiKey.id, plainKey);
    await apiKeys.create(apiKey);
    return {
      apiKey: toApiKeyResponse(apiKey),
      plainKey,
      warning: 'Store this key now: it is not shown again',
    };
  },
});

export const handler = toLambda(createApiKey);
