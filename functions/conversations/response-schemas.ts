import * as z from 'zod';
import { type Conversation, conversationSources } from '../../shared/domain/conversations/conversation.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import { messageRoles } from '../../shared/domain/conversations/message-items.ts';
import type { MessagePage } from '../../shared/domain/conversations/message-pages.ts';

const Metadata = z.record(z.string(), z.unknown());

const fields = {
  id: z.string(),
  title: z.string(),
  modelId: z.string().nullable(),
  ownerId: z.string().nullable(),
  source: z.enum(conversationSources),
  messageCount: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
};

const example = {
  id: 'conv_01k9m4v7d3x8qz5w2r6t0y1hbn',
  title: 'Parcels',
  modelId: null,
  ownerId: 'user-17',
  source: 'app' as const,
  messageCount: 1,
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:31:00.000Z',
};

export const ConversationRow = z.object(fields).meta({ id: 'ConversationRow', examples: [example] });

const MessageResponse = z
  .object({
    id: z.string(),
    role: z.enum(messageRoles),
    content: Message.shape.content.nullable().meta({ description: 'null if the content is lost' }),
    createdAt: z.string(),
  })
  .meta({ id: 'ConversationMessage' });

const place = {
  clientTokenId: z.string().nullable(),
  surfaceId: z.string().nullable(),
  flowId: z.string().nullable(),
  origin: z.string().nullable(),
};

export const ConversationResponse = z
  .object({
    ...fields,
    ...place,
    systemPrompt: z.string().nullable(),
    metadata: Metadata,
    messages: z
      .array(MessageResponse)
      .meta({ description: 'The newest, or those before `messagesCursor`, oldest first' }),
    messagesCursor: z.string().nullable().meta({ description: 'Leads to the messages before these' }),
  })
  .meta({
    id: 'Conversation',
    examples: [
      {
        ...example,
        ...{ clientTokenId: null, surfaceId: null, flowId: null, origin: null },
        ...{ systemPrompt: null, metadata: {}, messagesCursor: null },
        messages: [
          { id: 'm1', role: 'user', content: 'Where is my parcel?', createdAt: '2026-11-22T09:31:00.000Z' },
        ],
      },
    ],
  });

/** A conversation without its messages. */
export const toConversationHead = (conversation: Conversation) => ({
  id: conversation.id,
  title: conversation.title,
  modelId: conversation.modelId,
  ownerId: conversation.ownerId,
  source: conversation.source,
  messageCount: conversation.messageCount,
  createdAt: conversation.createdAt,
  updatedAt: conversation.updatedAt,
  clientTokenId: conversation.clientTokenId,
  surfaceId: conversation.surfaceId,
  flowId: conversation.flowId,
  origin: conversation.origin,
  systemPrompt: conversation.systemPrompt,
  metadata: conversation.metadata,
});

export const toConversationResponse = (conversation: Conversation, { messages, cursor }: MessagePage) => ({
  ...toConversationHead(conversation),
  messages,
  messagesCursor: cursor,
});
