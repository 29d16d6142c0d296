import * as z from 'zod';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ClientTokenParams } from './schemas.ts';

export const deleteClientToken = defineEndpoint({
  id: 'client-tokens.delete',
  method: 'DELETE',
  path: '/v1/client-tokens/{id}',
  permission: 'CLIENT_TOKENS:WRITE',
  summary: 'Delete a client token',
  description:
    'Pages cannot use it from their next request on. Its conversations stay: `GET /v1/conversations?client_token_id=…` lists them.',
  params: ClientTokenParams,
  response: { kind: 'json', bodies: { 200: z.object({ success: z.boolean(), message: z.string() }) } },
  errors: [400, 404, 409],
  needs: { tokens: clientTokenStore },

  async handle({ params: { id }, principal }, { tokens }) {
    await tokens.remove(principal, id);
    return { success: true, message: 'The client token was deleted' };
  },
});

export const handler = toLambda(deleteClientToken);
