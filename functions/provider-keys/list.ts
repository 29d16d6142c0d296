import * as z from 'zod';
import { providerKeyStore } from '../../shared/domain/model-configs/provider-key-store.ts';
import { recentUse } from '../../shared/domain/model-usage/usage-report.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ProviderKeyResponse, toProviderKeyResponse } from './schemas.ts';

export const listProviderKeys = defineEndpoint({
  id: 'provider-keys.list',
  method: 'GET',
  path: '/v1/provider-keys',
  permission: 'authenticated',
  summary: 'List provider keys',
  description:
    'Returns the tenant’s own keys of model and search providers, oldest first, without their values.',
  response: {
    kind: 'json',
    bodies: { 200: z.object({ providerKeys: z.array(ProviderKeyResponse) }) },
  },
  needs: { keys: providerKeyStore, uses: recentUse },

  async handle(_request, { keys, uses }) {
    const [all, used] = await Promise.all([keys.list(), uses.ofKeys()]);
    return { providerKeys: all.map((key) => toProviderKeyResponse(key, used.get(key.id))) };
  },
});

export const handler = toLambda(listProviderKeys);
