import * as z from 'zod';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { findTokenWarnings } from '../../shared/domain/client-tokens/origins.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { assertMayGrant } from './may-grant.ts';
import { ClientTokenResponse, TokenWarnings, toTokenResponse } from './response-schemas.ts';
import { ClientTokenParams, UpdateClientTokenBody } from './schemas.ts';

export const updateClientToken = defineEndpoint({
  id: 'client-tokens.update',
  method: 'PUT',
  path: '/v1/client-tokens/{id}',
  permission: 'CLIENT_TOKENS:WRITE',
  summary: 'Update a client token',
  description:
    'Omitted members stay unchanged; lists and `config` are replaced as a whole. null clears `defaultFlowId` and `config`, and resets `pinToVersion` and the limits to their defaults. Requires the same permissions as creating the token. 404 if a flow or an agent of the body does not exist. Takes effect with the next request of a page.',
  params: ClientTokenParams,
  body: UpdateClientTokenBody,
  response: {
    kind: 'json',
    bodies: { 200: z.object({ clientToken: ClientTokenResponse, warnings: TokenWarnings }) },
  },
  errors: [400, 404, 409],
  needs: { tokens: clientTokenStore },

  async handle({ params: { id }, body, principal }, { tokens }) {
    const token = await tokens.update(principal, id, body, (after) => assertMayGrant(principal, after));
    return { clientToken: toTokenResponse(token), warnings: findTokenWarnings(token) };
  },
});

export const handler = toLambda(updateClientToken);
