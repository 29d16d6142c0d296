import { conversationStore } from '../../shared/domain/conversations/conversation-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConversationResponse, toConversationResponse } from './response-schemas.ts';
import { CreateConversationBody } from './schemas.ts';

export const createConversation = defineEndpoint({
  id: 'conversations.create',
  method: 'POST',
  path: '/v1/conversations',
  permission: 'CONVERSATIONS:WRITE',
  summary: 'Create a conversation',
  description: 'Without messages. `systemPrompt` and `metadata` have at most 100,000 bytes of JSON together.',
  body: CreateConversationBody,
  response: { kind: 'json', bodies: { 201: ConversationResponse } },
  errors: [400],
  needs: { conversations: conversationStore },

  async handle({ body, principal }, { conversations }) {
    const conversation = await conversations.create(principal, body);
    return toConversationResponse(conversation, { messages: [], cursor: null });
  },
});

export const handler = toLambda(createConversation);
