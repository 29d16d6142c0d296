import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import { type Conversation, conversationPartition, sha256 } from './conversation.ts';

export const messageRoles = ['user', 'assistant', 'system'] as const;

interface MessagePlace {
  conversationId: string;
  generation: string;
}

const toMessageKey = (generation: string, number: string) => `MESSAGE#${generation}#${number}`;
const numberDigits = 8;

/** The sort keys of messages `from` to `to`, inclusive; of all of a generation without them. */
export const messagesRange = (
  { id, generation }: Pick<Conversation, 'id' | 'generation'>,
  { from = 0, to }: { from?: number; to?: number } = {},
) => ({
  partition: conversationPartition(id),
  from: toMessageKey(generation, padNumber(from)),
  to: toMessageKey(generation, to === undefined ? '~' : padNumber(to)),
});

const padNumber = (number: number) => String(number).padStart(numberDigits, '0');

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
    /** What the conversation says up to this message and with it, for the answers of a chat. */
    summaryToHere: z.string().optional(),
    /** The system messages among them, which a summary does not replace. */
    instructionsToHere: z.string().optional(),
    ttl: z.int().optional(),
  }),
  key: ({ conversationId, generation, number }: MessagePlace & { number: number }) => ({
    PK: conversationPartition(conversationId),
    SK: toMessageKey(generation, padNumber(number)),
  }),
});

/** Reserves the id of a message, so that a repeated request adds it once. */
export const messageIdEntity = defineEntity({
  type: 'messageId',
  schema: z.object({
    conversationId: z.string(),
    generation: z.string(),
    messageId: z.string(),
    /** The run that answered with it, if it is such an answer. */
    runId: z.string().optional(),
    ttl: z.int().optional(),
  }),
  key: ({ conversationId, generation, messageId }: MessagePlace & { messageId: string }) => ({
    PK: conversationPartition(conversationId),
    SK: `ID#${generation}#${sha256(messageId)}`,
  }),
});
