import * as z from 'zod';
import { conversationStore } from '../../shared/domain/conversations/conversation-store.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { ConversationParams } from './schemas.ts';

export const deleteConversation = defineEndpoint({
  id: 'conversations.delete',
  method: 'DELETE',
  path: '/v1/conversations/{id}',
  permission: 'CONVERSATIONS:WRITE',
  summary: 'Delete a conversation',
  description: 'It is unreadable at once; its messages are removed in the background.',
  params: ConversationParams,
  response: { kind: 'json', bodies: { 204: z.void() } },
  errors: [400, 404, 409],
  needs: { conversations: conversationStore },

  handle: ({ params: { id } }, { conversations }) => conversations.remove(id),
});

export const handler = toLambda(deleteConversation);
