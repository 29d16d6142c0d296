import * as z from 'zod';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { conversationLists } from '../../shared/domain/conversations/list-conversations.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ClientTokenResponse, toTokenResponse } from './response-schemas.ts';
import { ClientTokenParams } from './schemas.ts';

export const getClientToken = defineEndpoint({
  id: 'client-tokens.get',
  method: 'GET',
  path: '/v1/client-tokens/{id}',
  permission: 'CLIENT_TOKENS:READ',
  summary: 'Get a client token',
  description: 'With the number of its conversations.',
  params: ClientTokenParams,
  response: { kind: 'json', bodies: { 200: z.object({ clientToken: ClientTokenResponse }) } },
  errors: [400, 404],
  needs: { tokens: clientTokenStore, conversations: conversationLists },

  async handle({ params: { id } }, { tokens, conversations }) {
    const [token, conversationCount] = await Promise.all([tokens.find(id), conversations.countByToken(id)]);
    return { clientToken: { ...toTokenResponse(token), conversationCount } };
  },
});

export const handler = toLambda(getClientToken);
