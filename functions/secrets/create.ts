import * as z from 'zod';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { CreateSecretBody, SecretResponse, toSecretResponse } from './schemas.ts';

export const createSecret = defineEndpoint({
  id: 'secrets.create',
  method: 'POST',
  path: '/v1/secrets',
  permission: 'SECRETS:WRITE',
  summary: 'Create a secret',
  description:
    'No response ever returns the value. A secret without a value is pending until it gets one. Creating a deleted key restores its id and increments its version. 409 if the key exists, or the tenant has 500 secrets.',
  body: CreateSecretBody,
  response: { kind: 'json', bodies: { 201: z.object({ data: SecretResponse }) } },
  errors: [400, 409],
  needs: { secrets: secretStore },

  handle: async ({ body, principal }, { secrets }) => ({
    data: toSecretResponse(await secrets.create(principal, body)),
  }),
});

export const handler = toLambda(createSecret);
