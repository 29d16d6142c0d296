import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { conversationSources } from '../../shared/domain/conversations/conversation.ts';
import { conversationLists } from '../../shared/domain/conversations/list-conversations.ts';
import { CursorPagination, CursorQuery } from '../../shared/platform/data/lists/pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConversationRow } from './response-schemas.ts';

export const listConversations = defineEndpoint({
  id: 'conversations.list',
  method: 'GET',
  path: '/v1/conversations',
  permission: 'CONVERSATIONS:READ',
  summary: 'List conversations',
  description:
    'Newest first, without their messages. Filters can be combined; conversations of client tokens have no owner.',
  query: CursorQuery.extend({
    source: z.enum(['all', ...conversationSources]).default('all'),
    surface_id: resourceId('surface').optional(),
    client_token_id: resourceId('clienttoken').optional(),
    ownerId: z.string().min(1).max(255).optional(),
    search: z.string().min(1).max(255).optional().meta({
      description:
        'A text in the title or at the beginning of the first message; upper and lower case count the same',
    }),
  }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ conversations: z.array(ConversationRow), pagination: CursorPagination }) },
  },
  errors: [400],
  needs: { lists: conversationLists },

  async handle({ query }, { lists }) {
    const { source, surface_id: surfaceId, client_token_id: clientTokenId, ownerId, search } = query;
    const filter = {
      surfaceId,
      clientTokenId,
      ownerId,
      search,
      source: source === 'all' ? undefined : source,
    };
    return lists.list(filter, query);
  },
});

export const handler = toLambda(listConversations);
