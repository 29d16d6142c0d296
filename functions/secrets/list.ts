import * as z from 'zod';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SecretResponse, toSecretResponse } from './schemas.ts';

export const listSecrets = defineEndpoint({
  id: 'secrets.list',
  method: 'GET',
  path: '/v1/secrets',
  permission: 'SECRETS:READ',
  summary: 'List secrets',
  description: 'Returns all secrets ordered by key, without their values.',
  response: { kind: 'json', bodies: { 200: z.object({ data: z.array(SecretResponse), total: z.int() }) } },
  needs: { secrets: secretStore },

  async handle(_request, { secrets }) {
    const data = (await secrets.list()).map(toSecretResponse);
    return { data, total: data.length };
  },
});

export const handler = toLambda(listSecrets);
