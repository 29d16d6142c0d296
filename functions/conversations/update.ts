import { conversationStore } from '../../shared/domain/conversations/conversation-store.ts';
import { feedbackLists } from '../../shared/domain/conversations/feedback.ts';
import { messagePages } from '../../shared/domain/conversations/message-pages.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConversationResponse, conversationFeedback, toConversationResponse } from './response-schemas.ts';
import { assertUniqueIds, ConversationParams, MessagesQuery, UpdateConversationBody } from './schemas.ts';

export const updateConversation = defineEndpoint({
  id: 'conversations.update',
  method: 'PUT',
  path: '/v1/conversations/{id}',
  permission: 'CONVERSATIONS:WRITE',
  summary: 'Update a conversation',
  description:
    'Omitted members stay unchanged; `metadata` is replaced as a whole. null clears `modelId`, `ownerId`, `systemPrompt` and `metadata`. `messages` replaces all messages: 409 if another request changes the conversation meanwhile. 400 for an `ownerId` of a conversation of a client token.',
  params: ConversationParams,
  query: MessagesQuery.pick({ messagesLimit: true }),
  body: UpdateConversationBody,
  response: { kind: 'json', bodies: { 200: ConversationResponse } },
  errors: [400, 404, 409],
  needs: { conversations: conversationStore, pages: messagePages, feedback: feedbackLists },

  async handle({ params: { id }, query, body }, { conversations, pages, feedback }) {
    assertUniqueIds(body.messages);
    const metadata = body.metadata === null ? {} : body.metadata;
    const conversation = await conversations.update(id, { ...body, metadata });
    const page = await pages.readBefore(conversation, { limit: query.messagesLimit });
    return toConversationResponse(conversation, page, await conversationFeedback(feedback, conversation));
  },
});

export const handler = toLambda(updateConversation);
