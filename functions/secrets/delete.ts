import * as z from 'zod';
import { secretStore } from '../../shared/domain/secrets/secret-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { SecretParams } from './schemas.ts';

export const deleteSecret = defineEndpoint({
  id: 'secrets.delete',
  method: 'DELETE',
  path: '/v1/secrets/{id}',
  permission: 'SECRETS:WRITE',
  summary: 'Delete a secret',
  description:
    'Runs that start afterwards do not get the value. `referenceCount` is the number of places that still reference the secret. Checks report its key as revoked until it is created again.',
  params: SecretParams,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ success: z.boolean(), deletedId: z.string(), referenceCount: z.int() }) },
  },
  errors: [400, 404, 409],
  needs: { secrets: secretStore },

  async handle({ params, principal }, { secrets }) {
    const { referenceCount } = await secrets.remove(principal, params.id);
    return { success: true, deletedId: params.id, referenceCount };
  },
});

export const handler = toLambda(deleteSecret);
