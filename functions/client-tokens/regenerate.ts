import * as z from 'zod';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { assertMayGrant } from './may-grant.ts';
import { RegeneratedToken, toTokenResponse } from './response-schemas.ts';
import { ClientTokenParams } from './schemas.ts';

export const regenerateClientToken = defineEndpoint({
  id: 'client-tokens.regenerate',
  method: 'POST',
  path: '/v1/client-tokens/{id}/regenerate',
  permission: 'CLIENT_TOKENS:WRITE',
  summary: 'Replace the value of a client token',
  description:
    'The old value stops working at once. Its id, its settings and its conversations stay. Requires the same permissions as creating the token.',
  params: ClientTokenParams,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ clientToken: RegeneratedToken, token: z.string(), message: z.string() }) },
  },
  errors: [400, 404, 409],
  needs: { tokens: clientTokenStore },

  async handle({ params: { id }, principal }, { tokens }) {
    const token = await tokens.regenerate(principal, id, (after) => assertMayGrant(principal, after));
    const message = 'The old value no longer works. Put the new one into your pages';
    return { clientToken: toTokenResponse(token), token: token.value, message };
  },
});

export const handler = toLambda(regenerateClientToken);
