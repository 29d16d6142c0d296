import * as z from 'zod';
import { type ErrorDetail, invalid } from '../../shared/core/errors.ts';
import { idOf } from '../../shared/core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import {
  type Conversation,
  conversationSources,
  messageRoles,
} from '../../shared/domain/conversations/conversation.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import type { MessagePage } from '../../shared/domain/conversations/message-pages.ts';
import { wholeNumber } from '../../shared/platform/data/pages.ts';

export const ConversationParams = z.object({ id: idOf('conv') });

const messagesMax = 1_000;
const pageMax = 200;

/** An id of the caller's. */
const given = (charactersMax: number) =>
  z.string().min(1).max(charactersMax).refine(wellFormed, wellFormedOnly);

const members = {
  title: nameUpTo(500),
  modelId: given(255).nullable().optional(),
  ownerId: given(255).nullable().optional().meta({
    description: 'Whose conversation it is, as your application names its users',
  }),
  systemPrompt: z.string().nullable().optional(),
};
const Metadata = z.record(z.string(), z.unknown());

export const CreateConversationBody = z
  .strictObject({ ...members, title: members.title.default('New Chat'), metadata: Metadata.default({}) })
  .meta({ examples: [{ title: 'Parcels', ownerId: 'user-17' }] });

const GivenMessage = Message.extend({
  id: given(255),
  createdAt: z.iso.datetime({ offset: true }).optional(),
});

export const UpdateConversationBody = z
  .strictObject({
    ...members,
    title: members.title.optional(),
    metadata: Metadata.nullable().optional(),
    messages: z
      .array(GivenMessage)
      .max(messagesMax)
      .optional()
      .meta({ description: 'Replaces all messages. Their ids are yours, and unique in the conversation' }),
  })
  .meta({ examples: [{ title: 'Parcels and returns' }] });

/** @throws 400 that names each repeated id. */
export function assertUniqueIds(messages: readonly { id: string }[] = []): void {
  const seen = new Set<string>();
  const repeated = messages.flatMap(({ id }, index): ErrorDetail[] => {
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    const message = `Another message has the id ${id}`;
    return [{ path: `messages.${index}.id`, code: 'DUPLICATE_ID', message }];
  });
  if (repeated.length > 0) throw invalid(repeated);
}

export const MessagesQuery = z.object({
  messagesLimit: wholeNumber(1, pageMax)
    .default(50)
    .meta({ description: `The most messages of the response, 1 to ${pageMax}, default 50` }),
  messagesCursor: z
    .string()
    .optional()
    .meta({ description: 'The messagesCursor of an earlier response: returns the messages before those' }),
});

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
