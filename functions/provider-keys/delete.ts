import * as z from 'zod';
import { providerKeyStore } from '../../shared/domain/model-configs/provider-key-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ProviderKeyParams } from './schemas.ts';

export const deleteProviderKey = defineEndpoint({
  id: 'provider-keys.delete',
  method: 'DELETE',
  path: '/v1/provider-keys/{id}',
  permission: 'MODELS:WRITE',
  summary: 'Delete a provider key',
  description:
    'Runs that start afterwards use another key of the provider. Model configs that name the deleted key fail until they get another one.',
  params: ProviderKeyParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean() }) } },
  errors: [400, 404, 409],
  needs: { keys: providerKeyStore },

  async handle({ params, principal }, { keys }) {
    await keys.remove(principal, params.id);
    return { success: true };
  },
});

export const handler = toLambda(deleteProviderKey);
