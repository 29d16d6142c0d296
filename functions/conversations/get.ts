import { conversationStore } from '../../shared/domain/conversations/conversation-store.ts';
import { feedbackLists } from '../../shared/domain/conversations/feedback.ts';
import { messagePages } from '../../shared/domain/conversations/message-pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConversationResponse, conversationFeedback, toConversationResponse } from './response-schemas.ts';
import { ConversationParams, MessagesQuery } from './schemas.ts';

export const getConversation = defineEndpoint({
  id: 'conversations.get',
  method: 'GET',
  path: '/v1/conversations/{id}',
  permission: 'CONVERSATIONS:READ',
  summary: 'Get a conversation',
  description:
    'With its newest messages: `messagesLimit` of them, or as many as fit 5 MB. `messagesCursor` of the response leads to those before; it is not valid any more (400) once all messages were replaced.',
  params: ConversationParams,
  query: MessagesQuery,
  response: { kind: 'json', bodies: { 200: ConversationResponse } },
  errors: [400, 404],
  needs: { conversations: conversationStore, pages: messagePages, feedback: feedbackLists },

  async handle(
    { params: { id }, query: { messagesLimit, messagesCursor } },
    { conversations, pages, feedback },
  ) {
    const conversation = await conversations.find(id);
    const page = await pages.readBefore(conversation, { limit: messagesLimit, cursor: messagesCursor });
    return toConversationResponse(conversation, page, await conversationFeedback(feedback, conversation));
  },
});

export const handler = toLambda(getConversation);
