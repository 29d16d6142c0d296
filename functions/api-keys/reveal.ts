import * as z from 'zod';
import { conflict, forbidden } from '../../shared/core/errors/errors.ts';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { testKeyValues } from '../../shared/domain/api-keys/test-key-values.ts';
import { hashKey } from '../../shared/platform/auth/key-format.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ApiKeyParams, assertGrantable } from './schemas.ts';

export const revealApiKey = defineEndpoint({
  id: 'api-keys.reveal',
  method: 'GET',
  path: '/v1/api-keys/{id}/reveal',
  permission: 'API_KEYS:WRITE',
  sessionOnly: true,
  summary: 'Reveal the value of a test key',
  description: 'Requires a session. 403 for a live key: the service does not store its value.',
  params: ApiKeyParams,
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        key: z.string(),
        metadata: z.object({
          environment: z.literal('test'),
          createdVia: z.enum(['session', 'product']),
          lifetimeExecutions: z.int().nullable(),
          createdAt: z.string(),
          lastUsedAt: z.string().nullable(),
        }),
        warning: z.string(),
      }),
    },
  },
  errors: [400, 404, 409],
  needs: { apiKeys: apiKeyStore, values: testKeyValues },

  async handle({ params, principal }, { apiKeys, values }) {
    const apiKey = await apiKeys.get(params.id);
    const { id, environment, hash, permissions, createdAt, lastUsedAt } = apiKey;
    if (environment !== 'test')
      throw forbidden('Only test keys can be revealed. Regenerate the live key to get a new value');
    assertGrantable(principal, permissions);
    const key = await values.read(id);
    if (key === undefined || hashKey(key) !== hash) {
      throw conflict('The stored value does not match the key. Regenerate the key');
    }
    await apiKeys.noteRevealed(principal, apiKey);
    const createdVia = apiKey.productId === undefined ? 'session' : 'product';
    const lifetimeExecutions = apiKey.lifetimeMax ?? null;
    const metadata = { environment, createdVia, lifetimeExecutions, createdAt, lastUsedAt } as const;
    return { key, metadata, warning: 'Keep this key secret: it grants its permissions to anyone who has it' };
  },
});

export const handler = toLambda(revealApiKey);
