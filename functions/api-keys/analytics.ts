import * as z from 'zod';
import { apiKeyStore } from '../../shared/domain/api-keys/api-key-store.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const Entry = z
  .object({
    id: z.string(),
    name: z.string(),
    keyPrefix: z.string(),
    lastUsedAt: z.string().nullable(),
    isActive: z.boolean(),
  })
  .meta({ id: 'ApiKeySummary' });

export const apiKeyAnalytics = defineEndpoint({
  id: 'api-keys.analytics',
  method: 'GET',
  path: '/v1/api-keys/analytics',
  permission: 'authenticated',
  summary: 'Summarise the use of API keys',
  description: 'Covers the API keys of the calling user. Does not return detailed usage counts.',
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        analytics: z.object({
          totalKeys: z.int(),
          activeKeys: z.int(),
          expiredKeys: z.int(),
          keyBreakdown: z.array(Entry),
        }),
        timestamp: z.string(),
      }),
    },
  },
  needs: { apiKeys: apiKeyStore, now: clock },

  async handle({ principal }, { apiKeys, now }) {
    const timestamp = now().toISOString();
    const keyBreakdown = (await apiKeys.list()).filter(({ userId }) => userId === principal.userId);
    const expired = keyBreakdown.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= timestamp);
    const active = keyBreakdown.filter((key) => key.isActive && !expired.includes(key));
    return {
      analytics: {
        totalKeys: keyBreakdown.length,
        activeKeys: active.length,
        expiredKeys: expired.length,
        keyBreakdown,
      },
      timestamp,
    };
  },
});

export const handler = toLambda(apiKeyAnalytics);
