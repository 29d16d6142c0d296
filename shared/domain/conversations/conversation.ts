import { createHash } from 'node:crypto';
import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';

export const conversationSources = ['app', 'client_token'] as const;
export const messageRoles = ['user', 'assistant', 'system'] as const;

/** A conversation without its messages, which are items of their own. */
export const Conversation = z.object({
  id: z.string(),
  /** Incremented with each write, to detect concurrent changes. */
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  title: z.string(),
  /** The title and the first message in lower case, for the substring search of lists. */
  search: z.string(),
  source: z.enum(conversationSources),
  /** Whose it is, as the tenant's application names its users. Null for a client token's. */
  ownerId: z.string().nullable(),
  modelId: z.string().nullable(),
  systemPrompt: z.string().nullable(),
  metadata: jsonText<Record<string, unknown>>(),
  clientTokenId: z.string().nullable(),
  surfaceId: z.string().nullable(),
  flowId: z.string().nullable(),
  /** The origin of the page that it was held on. */
  origin: z.string().nullable(),
  /** The beginning of the first message of a user. */
  firstMessage: z.string().nullable(),
  /** How many messages were added; the number of the next one. */
  messageCount: z.int(),
  /** Names the current messages. Replacing all messages starts another generation; later ones sort after earlier ones. */
  generation: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The expiry in Unix seconds, if the deployment limits retention. */
  ttl: z.int().optional(),
});
export type Conversation = z.infer<typeof Conversation>;

/** A conversation as the table stores it. */
export const storedConversation = (
  conversation: Omit<Conversation, 'search'>,
): z.input<typeof Conversation> => ({
  ...conversation,
  search: searchTextOf(conversation),
  metadata: JSON.stringify(conversation.metadata),
});

export const searchTextOf = ({ title, firstMessage }: Pick<Conversation, 'title' | 'firstMessage'>) =>
  `${title}\n${firstMessage ?? ''}`.toLowerCase();

/** The conversation and its messages. */
export const conversationPartition = (id: string) => tenantPartition(`CONVERSATION#${id}`);
export const conversationsPartition = tenantPartition('CONVERSATIONS');
export const conversationsOfTokenPartition = (clientTokenId: string) =>
  tenantPartition(`CLIENTTOKEN#${clientTokenId}#CONVERSATIONS`);
export const conversationsOfOwnerPartition = (ownerId: string) =>
  tenantPartition(`OWNER#${sha256(ownerId)}#CONVERSATIONS`);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const conversationEntity = defineEntity({
  type: 'conversation',
  schema: Conversation,
  key: ({ id }: { id: string }) => ({ PK: conversationPartition(id), SK: 'CONVERSATION' }),
  index: ({ id, clientTokenId, ownerId }) => ({
    ...{ PK1: conversationsPartition, SK1: id },
    ...(clientTokenId
      ? { PK2: conversationsOfTokenPartition(clientTokenId), SK2: id }
      : ownerId && { PK2: conversationsOfOwnerPartition(ownerId), SK2: id }),
  }),
  summary: [
    ...(['title', 'search', 'source', 'ownerId', 'modelId', 'clientTokenId', 'surfaceId', 'flowId'] as const),
    ...(['origin', 'firstMessage', 'messageCount', 'createdAt', 'updatedAt'] as const),
  ],
});

interface MessagePlace {
  conversationId: string;
  generation: string;
}

const messageKeyOf = (generation: string, number: string) => `MESSAGE#${generation}#${number}`;
const numberDigits = 8;

/** The sort keys of messages `from` to `to`, inclusive; of all of a generation without them. */
export const messagesRange = (
  { id, generation }: Pick<Conversation, 'id' | 'generation'>,
  { from = 0, to }: { from?: number; to?: number } = {},
) => ({
  partition: conversationPartition(id),
  from: messageKeyOf(generation, padded(from)),
  to: messageKeyOf(generation, to === undefined ? '~' : padded(to)),
});

const padded = (number: number) => String(number).padStart(numberDigits, '0');

/** What remains of generations before the current one: messages and their ids. */
export const formerMessagesRanges = ({ id, generation }: Pick<Conversation, 'id' | 'generation'>) =>
  ['MESSAGE', 'ID'].map((kind) => ({
    partition: conversationPartition(id),
    from: `${kind}#`,
    // A sort key of this generation is longer, so it sorts after this one.
    to: `${kind}#${generation}#`,
  }));

/** A message. Its number is its place in the conversation. */
export const messageEntity = defineEntity({
  type: 'message',
  schema: z.object({
    conversationId: z.string(),
    generation: z.string(),
    number: z.int(),
    id: z.string(),
    role: z.enum(messageRoles),
    content: PayloadRef,
    createdAt: z.string(),
    ttl: z.int().optional(),
  }),
  key: ({ conversationId, generation, number }: MessagePlace & { number: number }) => ({
    PK: conversationPartition(conversationId),
    SK: messageKeyOf(generation, padded(number)),
  }),
});

/** Reserves the id of a message, so that a repeated request adds it once. */
export const messageIdEntity = defineEntity({
  type: 'messageId',
  schema: z.object({
    conversationId: z.string(),
    generation: z.string(),
    messageId: z.string(),
    ttl: z.int().optional(),
  }),
  key: ({ conversationId, generation, messageId }: MessagePlace & { messageId: string }) => ({
    PK: conversationPartition(conversationId),
    SK: `ID#${generation}#${sha256(messageId)}`,
  }),
});
