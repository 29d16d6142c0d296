import * as z from 'zod';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ClientTokenResponse, toTokenResponse } from './response-schemas.ts';

export const listClientTokens = defineEndpoint({
  id: 'client-tokens.list',
  method: 'GET',
  path: '/v1/client-tokens',
  permission: 'CLIENT_TOKENS:READ',
  summary: 'List client tokens',
  description: 'All tokens of the tenant, newest first, with their values, which are public.',
  response: { kind: 'json', bodies: { 200: z.object({ clientTokens: z.array(ClientTokenResponse) }) } },
  needs: { tokens: clientTokenStore },

  async handle(_request, { tokens }) {
    return { clientTokens: (await tokens.list()).map(toTokenResponse) };
  },
});

export const handler = toLambda(listClientTokens);
