import * as z from 'zod';
import { providerKeyStore } from '../../shared/domain/model-configs/provider-key-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { CreateKeyBody, ProviderKeyResponse, toProviderKeyResponse } from './schemas.ts';

export const createProviderKey = defineEndpoint({
  id: 'provider-keys.create',
  method: 'POST',
  path: '/v1/provider-keys',
  permission: 'MODELS:WRITE',
  summary: 'Store a provider key',
  description:
    'Calls to the provider then use it instead of the deployment’s key. No response ever returns the value. A key of `generic-openai` needs `settings.baseURL`; `settings.region` is for `bedrock`. 409 if the tenant has 100 keys.',
  body: CreateKeyBody,
  response: { kind: 'json', bodies: { 201: z.object({ providerKey: ProviderKeyResponse }) } },
  errors: [400, 409],
  needs: { keys: providerKeyStore },

  handle: async ({ body, principal }, { keys }) => ({
    providerKey: toProviderKeyResponse(await keys.create(principal, body)),
  }),
});

export const handler = toLambda(createProviderKey);
