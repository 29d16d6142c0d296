import * as z from 'zod';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { conversationPartition, sha256 } from './conversation.ts';

export const feedbackTypes = ['upvote', 'downvote', 'copy', 'csat', 'nps'] as const;
export type FeedbackType = (typeof feedbackTypes)[number];

/** Those of one kind replace each other. */
const getKind = (type: FeedbackType) => (type === 'upvote' || type === 'downvote' ? 'vote' : type);

export const feedbackEntity = defineEntity({
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
    SK: `FEEDBACK#${getKind(type)}#${messageId === null ? '' : sha256(messageId)}`,
  }),
});

export type Feedback = Omit<z.infer<typeof feedbackEntity.schema>, 'conversationId' | 'ttl'>;
export type NewFeedback = Omit<Feedback, 'id' | 'createdAt'>;

/** So that a response fits them beside the messages. */
const listedMax = 200;

export const feedbackRange = (conversationId: string) => ({
  partition: conversationPartition(conversationId),
  from: 'FEEDBACK#',
  to: 'FEEDBACK#~',
});

/** What visitors sent on a conversation. It is stored with what it says of runs (`domain/feedback/`). */
export const feedbackLists = /* @__PURE__ */ using(['table:read'], ({ table }: Scope) => ({
  async list(conversationId: string): Promise<Feedback[]> {
    for await (const items of table.pages({ ...feedbackRange(conversationId), perQuery: listedMax })) {
      return decodeReadable(feedbackEntity, items)
        .map(({ conversationId: _id, ttl: _ttl, ...feedback }) => feedback)
        .sort((one, other) => (one.id < other.id ? -1 : 1));
    }
    return [];
  },
}));
