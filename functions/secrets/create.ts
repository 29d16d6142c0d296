import * as z from 'zod';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda.ts';
import { CreateSecretBody, SecretResponse, toSecretResponse } from './schemas.ts';

export const createSecret = defineEndpoint({
  id: 'secrets.create',
  method: 'POST',
  path: '/v1/secrets',
  permission: 'SECRETS:WRITE',
  summary: 'Create a secret',
  description:
    'No answer ever shows its value. Without a value it is pending until it gets one. A key that was deleted comes back with its id and the next version; one that is there is a 409.',
  body: CreateSecretBody,
  response: { kind: 'json', bodies: { 201: z.object({ data: SecretResponse }) } },
  errors: [400, 409, 415],
  needs: { secrets: secretStore },

  handle: async ({ body, principal }, { secrets }) => ({
    data: toSecretResponse(await secrets.create(principal, body)),
  }),
});

export const handler = toLambda(createSecret);
