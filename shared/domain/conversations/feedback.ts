import * as z from 'zod';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Conversation, conversationPartition, sha256 } from './conversation.ts';
import { messageIdEntity } from './message-items.ts';
import { conversationExpiry } from './retention.ts';

export const feedbackTypes = ['upvote', 'downvote', 'copy', 'csat', 'nps'] as const;
type FeedbackType = (typeof feedbackTypes)[number];

/** Those of one kind replace each other. */
const kindOf = (type: FeedbackType) => (type === 'upvote' || type === 'downvote' ? 'vote' : type);

const feedbackEntity = defineEntity({
  type: 'feedback',
  schema: z.object({
    conversationId: z.string(),
    id: z.string(),
    /** Null for the conversation as a whole. */
    messageId: z.string().nullable(),
    type: z.enum(feedbackTypes),
    rating: z.number().nullable(),
    comment: z.string().nullable(),
    metadata: jsonText<Record<string, unknown>>(),
    createdAt: z.string(),
    ttl: z.int().optional(),
  }),
  key: ({
    conversationId,
    messageId,
    type,
  }: {
    conversationId: string;
    messageId: string | null;
    type: FeedbackType;
  }) => ({
    PK: conversationPartition(conversationId),
    SK: `FEEDBACK#${kindOf(type)}#${messageId === null ? '' : sha256(messageId)}`,
  }),
});

export type Feedback = Omit<z.infer<typeof feedbackEntity.schema>, 'conversationId' | 'ttl'>;
export type NewFeedback = Omit<Feedback, 'id' | 'createdAt'>;

/** So that a response fits them beside the messages. */
const listedMax = 200;

export const feedbackStore = /* @__PURE__ */ using(['table:write', conversationExpiry], (scope: Scope) => {
  const { table, now, newId } = scope;
  return {
    /** The last one of a kind wins. @returns its id; undefined if the conversation has no such message. */
    async put(
      { id: conversationId, generation }: Pick<Conversation, 'id' | 'generation'>,
      given: NewFeedback,
    ): Promise<string | undefined> {
      const { messageId } = given;
      if (messageId !== null) {
        const key = { conversationId, generation, messageId };
        if (!(await table.get(messageIdEntity, key))) return undefined;
      }
      const id = newId('feedback');
      const metadata = JSON.stringify(given.metadata);
      const own = { id, createdAt: now().toISOString(), ...conversationExpiry(scope)() };
      await table.commit([table.writes.put(feedbackEntity, { conversationId, ...given, metadata, ...own })]);
      return id;
    },

    async list(conversationId: string): Promise<Feedback[]> {
      const range = { partition: conversationPartition(conversationId), from: 'FEEDBACK#', to: 'FEEDBACK#~' };
      for await (const items of table.pages({ ...range, limit: listedMax })) {
        return decodeReadable(feedbackEntity, items)
          .map(({ conversationId: _id, ttl: _ttl, ...feedback }) => feedback)
          .sort((one, other) => (one.id < other.id ? -1 : 1));
      }
      return [];
    },
  };
});
