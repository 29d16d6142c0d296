import * as z from 'zod';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SecretParams, SecretResponse, toSecretResponse, UpdateSecretBody } from './schemas.ts';

export const updateSecret = defineEndpoint({
  id: 'secrets.update',
  method: 'PUT',
  path: '/v1/secrets/{id}',
  permission: 'SECRETS:WRITE',
  summary: 'Rotate a secret or change its description',
  description:
    'A new value becomes the next version; runs that start afterwards use it. If `expectedVersion` is not the current version, nothing changes and the response is 409. Of several concurrent updates, one succeeds.',
  params: SecretParams,
  body: UpdateSecretBody,
  response: { kind: 'json', bodies: { 200: z.object({ data: SecretResponse }) } },
  errors: [400, 404, 409],
  needs: { secrets: secretStore },

  handle: async ({ params, body, principal }, { secrets }) => ({
    data: toSecretResponse(await secrets.update(principal, params.id, body)),
  }),
});

export const handler = toLambda(updateSecret);
