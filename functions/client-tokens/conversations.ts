import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { clientTokenStore } from '../../shared/domain/client-tokens/client-token-store.ts';
import { conversationLists } from '../../shared/domain/conversations/list-conversations.ts';
import { OffsetPagination, OffsetQuery } from '../../shared/platform/data/lists/pages.ts';
import { wholeNumber } from '../../shared/platform/data/lists/query-values.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConversationUsageResponse } from '../conversations/usage-schema.ts';
import { ClientTokenParams } from './schemas.ts';

const offsetMax = 10_000;

const TokenConversation = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    firstMessage: z.string().nullable().meta({ description: 'Its first 200 characters' }),
    flowId: z.string().nullable(),
    origin: z.string().nullable(),
    messageCount: z.int().nullable(),
    usage: ConversationUsageResponse.nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({
    id: 'ClientTokenConversation',
    examples: [
      {
        id: 'conv_01k9m4v7d3x8qz5w2r6t0y1hbn',
        name: 'New Chat',
        firstMessage: 'Where is my parcel?',
        flowId: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn',
        origin: 'https://example.com',
        messageCount: 2,
        usage: { inputTokens: 120, outputTokens: 45, totalCost: '0.00021' },
        createdAt: '2026-11-22T09:30:00.000Z',
        updatedAt: '2026-11-22T09:31:00.000Z',
      },
    ],
  });

export const listTokenConversations = defineEndpoint({
  id: 'client-tokens.conversations',
  method: 'GET',
  path: '/v1/client-tokens/{id}/conversations',
  permission: 'CLIENT_TOKENS:READ',
  summary: 'List the conversations of a client token',
  description:
    'Newest first, without their messages. With `flow_id`, looks at the newest 100,000. `GET /v1/conversations` lists them with a cursor.',
  params: ClientTokenParams,
  query: OffsetQuery.extend({
    offset: wholeNumber(0, offsetMax)
      .default(0)
      .meta({ description: `0 to ${offsetMax}` }),
    flow_id: resourceId('flow').optional(),
  }),
  response: {
    kind: 'json',
    bodies: {
      200: z.object({
        conversations: z.array(TokenConversation),
        pagination: OffsetPagination.omit({ returned: true }).meta({ id: 'ConversationPagination' }),
      }),
    },
  },
  errors: [400, 404],
  needs: { tokens: clientTokenStore, lists: conversationLists },

  async handle({ params: { id }, query: { limit, offset, flow_id } }, { tokens, lists }) {
    const filter = { clientTokenId: id, flowId: flow_id };
    const [page] = await Promise.all([lists.listByOffset(filter, { limit, offset }), tokens.find(id)]);
    return {
      conversations: page.conversations.map(({ title, usage = null, ...rest }) => ({
        ...rest,
        usage,
        name: title,
      })),
      pagination: { limit, offset, hasMore: page.hasMore },
    };
  },
});

export const handler = toLambda(listTokenConversations);
