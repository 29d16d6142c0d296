import * as z from 'zod';
import { notFound } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { conversationStore } from '../../shared/domain/conversations/conversation-store.ts';
import { messagePages } from '../../shared/domain/conversations/message-pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { toShownConversation } from '../../shared/protocols/chat/chat-message.ts';
import { bySessionHeader, sessionContext } from '../../shared/protocols/chat/visitor.ts';
import { MessagesQuery } from '../conversations/schemas.ts';
import { ClientConversation } from './conversation-schemas.ts';

export const getClientConversation = defineEndpoint({
  id: 'client-chat.conversation',
  method: 'GET',
  path: '/v1/client/conversations/{conversationId}',
  permission: 'public',
  scope: bySessionHeader,
  anyOrigin: true,
  summary: 'Get a conversation of a visitor',
  description:
    'Send the id of the session as `Authorization: Bearer <sessionId>`. With its newest messages: `messagesLimit` of them, or as many as fit 5 MB; `messagesCursor` leads to those before. 401 and 403 as for messages. 404 for a conversation of another session.',
  params: z.object({ conversationId: resourceId('conv') }),
  query: MessagesQuery,
  response: { kind: 'json', bodies: { 200: ClientConversation } },
  errors: [400, 401, 403, 404],
  needs: { visit: sessionContext, conversations: conversationStore, pages: messagePages },

  async handle({ params, query: { messagesLimit: limit, messagesCursor: cursor } }, needs) {
    const { visit, conversations, pages } = needs;
    if (params.conversationId !== visit.session.conversationId) throw notFound('Conversation');
    const conversation = await conversations.find(params.conversationId);
    return toShownConversation(conversation, await pages.readBefore(conversation, { limit, cursor }));
  },
});

export const handler = toLambda(getClientConversation);
