import * as z from 'zod';
import { providerKeyStore } from '../../shared/domain/model-configs/provider-key-store.ts';
import { recentUse } from '../../shared/domain/model-usage/usage-report.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ProviderKeyParams, ProviderKeyResponse, toProviderKeyResponse, UpdateKeyBody } from './schemas.ts';

export const updateProviderKey = defineEndpoint({
  id: 'provider-keys.update',
  method: 'PATCH',
  path: '/v1/provider-keys/{id}',
  permission: 'MODELS:WRITE',
  summary: 'Rotate or change a provider key',
  description:
    'Missing members stay unchanged; `settings` are replaced as a whole, of `limits` the members that are sent; null lifts one, and a change holds within seconds. Runs that start afterwards use a new value. An inactive key is not used. `isDefault: true` takes the place of the provider’s earlier default key.',
  params: ProviderKeyParams,
  body: UpdateKeyBody,
  response: { kind: 'json', bodies: { 200: z.object({ providerKey: ProviderKeyResponse }) } },
  errors: [400, 404, 409],
  needs: { keys: providerKeyStore, uses: recentUse },

  async handle({ params, body, principal }, { keys, uses }) {
    const key = await keys.update(principal, params.id, body);
    return { providerKey: toProviderKeyResponse(key, (await uses.ofKeys()).get(key.id)) };
  },
});

export const handler = toLambda(updateProviderKey);
