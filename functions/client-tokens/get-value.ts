import * as z from 'zod';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ClientTokenParams } from './schemas.ts';

export const getClientTokenValue = defineEndpoint({
  id: 'client-tokens.get-value',
  method: 'GET',
  path: '/v1/client-tokens/{id}/token',
  permission: 'CLIENT_TOKENS:READ',
  summary: 'Get the value of a client token',
  description: 'The text that pages send. It is public.',
  params: ClientTokenParams,
  response: { kind: 'json', bodies: { 200: z.object({ token: z.string() }) } },
  errors: [400, 404],
  needs: { tokens: clientTokenStore },

  async handle({ params: { id } }, { tokens }) {
    const { value } = await tokens.find(id);
    return { token: value };
  },
});

export const handler = toLambda(getClientTokenValue);
