import * as z from 'zod';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SecretParams, SecretResponse, toSecretResponse } from './schemas.ts';

export const getSecret = defineEndpoint({
  id: 'secrets.get',
  method: 'GET',
  path: '/v1/secrets/{id}',
  permission: 'SECRETS:READ',
  summary: 'Get a secret',
  description: 'Returns the secret without its value.',
  params: SecretParams,
  response: { kind: 'json', bodies: { 200: z.object({ data: SecretResponse }) } },
  errors: [400, 404],
  needs: { secrets: secretStore },

  handle: async ({ params }, { secrets }) => ({ data: toSecretResponse(await secrets.get(params.id)) }),
});

export const handler = toLambda(getSecret);
