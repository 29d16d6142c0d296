import * as z from 'zod';
import { ifMissing } from '../../shared/core/errors/errors.ts';
import { conversationStore } from '../../shared/domain/conversations/conversation-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { conversationRow } from '../../shared/protocols/chat/chat-message.ts';
import { bySessionHeader, sessionContext } from '../../shared/protocols/chat/visitor.ts';
import { ClientConversationRow } from './conversation-schemas.ts';

export const listClientConversations = defineEndpoint({
  id: 'client-chat.conversations',
  method: 'GET',
  path: '/v1/client/conversations',
  permission: 'public',
  scope: bySessionHeader,
  anyOrigin: true,
  summary: 'List the conversations of a visitor',
  description:
    'Send the id of the session as `Authorization: Bearer <sessionId>`. A session has one conversation, and none before its first message. 401 and 403 as for messages.',
  response: {
    kind: 'json',
    bodies: { 200: z.object({ conversations: z.array(ClientConversationRow) }) },
  },
  errors: [400, 401, 403],
  needs: { visit: sessionContext, conversations: conversationStore },

  async handle(_request, { visit, conversations }) {
    const { conversationId } = visit.session;
    const found = conversationId && (await conversations.find(conversationId).catch(ifMissing(undefined)));
    return { conversations: found ? [conversationRow(found)] : [] };
  },
});

export const handler = toLambda(listClientConversations);
