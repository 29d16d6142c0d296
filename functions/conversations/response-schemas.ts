import * as z from 'zod';
import { type Conversation, conversationSources } from '../../shared/domain/conversations/conversation.ts';
import { type Feedback, feedbackTypes } from '../../shared/domain/conversations/feedback.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import { messageRoles } from '../../shared/domain/conversations/message-items.ts';
import type { MessagePage } from '../../shared/domain/conversations/message-pages.ts';
import { ConversationUsageResponse } from './usage-schema.ts';

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

const FeedbackResponse = z
  .object({
    id: z.string(),
    messageId: z.string().nullable().meta({ description: 'null for the conversation as a whole' }),
    type: z.enum(feedbackTypes),
    rating: z.number().nullable(),
    comment: z.string().nullable(),
    metadata: Metadata,
    createdAt: z.string(),
  })
  .meta({ id: 'ConversationFeedback' });

const place = {
  usage: ConversationUsageResponse.nullable(),
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
    feedback: z
      .array(FeedbackResponse)
      .meta({ description: 'Of visitors, at most 200: the last vote, copy or rating of each message' }),
    messagesCursor: z.string().nullable().meta({ description: 'Leads to the messages before these' }),
  })
  .meta({
    id: 'Conversation',
    examples: [
      {
        ...example,
        usage: null,
        clientTokenId: null,
        surfaceId: null,
        flowId: null,
        origin: null,
        systemPrompt: null,
        metadata: {},
        messagesCursor: null,
        feedback: [],
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
  usage: conversation.usage ?? null,
  clientTokenId: conversation.clientTokenId,
  surfaceId: conversation.surfaceId,
  flowId: conversation.flowId,
  origin: conversation.origin,
  systemPrompt: conversation.systemPrompt,
  metadata: conversation.metadata,
});

export const toConversationResponse = (
  conversation: Conversation,
  { messages, cursor }: MessagePage,
  feedback: Feedback[] = [],
) => ({
  ...toConversationHead(conversation),
  messages,
  feedback,
  messagesCursor: cursor,
});

type ListsFeedback = { list: (conversationId: string) => Promise<Feedback[]> };

/** Only visitors send feedback. */
export const conversationFeedback = async (
  feedback: ListsFeedback,
  { id, source }: Pick<Conversation, 'id' | 'source'>,
): Promise<Feedback[]> => (source === 'client_token' ? feedback.list(id) : []);
