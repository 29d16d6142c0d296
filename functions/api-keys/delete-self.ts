import * as z from 'zod';
import { notFound } from '../../shared/core/errors/errors.ts';
import { keyRemoval } from '../../shared/domain/api-keys/key-removal.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

export const deleteOwnApiKey = defineEndpoint({
  id: 'api-keys.delete-self',
  method: 'DELETE',
  path: '/v1/api-keys/self',
  permission: 'authenticated',
  summary: 'Delete the API key of this request',
  description:
    'Whoever has a key may end it, whatever its permissions: the command line when it logs out, or who finds a key where it should not be. It is rejected from its next request on. 404 for a session, which has none.',
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean(), message: z.string() }) } },
  errors: [400, 404, 409],
  needs: { removeKey: keyRemoval },

  async handle({ principal }, { removeKey }) {
    if (!principal.keyId) throw notFound('API key');
    await removeKey(principal, principal.keyId);
    return { success: true, message: 'The API key was deleted' };
  },
});

export const handler = toLambda(deleteOwnApiKey);
