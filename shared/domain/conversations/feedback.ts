import * as z from 'zod';
import { using } from '../../platform/aws/uses.ts';
import { decode, decodeReadable, defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { StoredItem } from '../../platform/data/table.ts';
import { absent } from '../../platform/data/writes.ts';
import { runFeedbackEntity } from '../feedback/run-feedback.ts';
import { type ChatTarget, ofVisitor } from '../feedback/visitor-feedback.ts';
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

export const isFeedback = ({ SK }: StoredItem) => SK.startsWith('FEEDBACK#');

export type Feedback = Omit<z.infer<typeof feedbackEntity.schema>, 'conversationId' | 'ttl'>;
export type NewFeedback = Omit<Feedback, 'id' | 'createdAt'>;

/** So that a response fits them beside the messages. */
const listedMax = 200;

/** A visitor's feedback is also that of the run which it is about, in one transaction. */
export const feedbackStore = /* @__PURE__ */ using(['table:write', conversationExpiry], (scope: Scope) => {
  const { table, now, newId } = scope;

  /** @returns what it replaces; undefined if the conversation has no such message. */
  async function before(
    { id: conversationId, generation }: Pick<Conversation, 'id' | 'generation'>,
    { messageId, type }: Pick<Feedback, 'messageId' | 'type'>,
  ): Promise<{ formerId: string | undefined; runId: string | undefined } | undefined> {
    const place = { conversationId, generation, messageId: messageId ?? '' };
    const keys = [feedbackEntity.key({ conversationId, messageId, type }), messageIdEntity.key(place)];
    const [former, message] = await table.getMany(keys, { consistent: true });
    if (messageId !== null && !message) return undefined;
    const runId = message && decode(messageIdEntity, message).runId;
    return { formerId: former && decode(feedbackEntity, former).id, runId };
  }

  return {
    /** The last one of a kind wins. @returns its id; undefined if the conversation has no such message. */
    put: (
      conversation: Pick<Conversation, 'id' | 'generation'>,
      given: NewFeedback,
      target: ChatTarget,
    ): Promise<string | undefined> =>
      retryOnConflict(async () => {
        const replaced = await before(conversation, given);
        if (!replaced) return undefined;
        const { formerId, runId } = replaced;
        const place = { conversationId: conversation.id, messageId: given.messageId };
        const own = { id: newId('feedback'), createdAt: now().toISOString(), ...conversationExpiry(scope)() };
        const isFormer = formerId ? { expression: '#id = :formerId', values: { formerId } } : absent;
        const metadata = JSON.stringify(given.metadata);
        const ofRun = { ...ofVisitor(target, given), ...own, runId, conversationId: place.conversationId };
        await table.commit([
          table.writes.put(feedbackEntity, { ...given, ...place, metadata, ...own }, isFormer),
          table.writes.put(runFeedbackEntity, { ...ofRun, messageId: given.messageId ?? undefined }),
          ...(formerId ? [table.writes.remove(runFeedbackEntity, { id: formerId })] : []),
        ]);
        return own.id;
      }),

    /** Deletes it, unless another one replaced it. */
    async remove(conversationId: string, id: string): Promise<void> {
      const range = { partition: conversationPartition(conversationId), from: 'FEEDBACK#', to: 'FEEDBACK#~' };
      const filter = { expression: '#id = :id', values: { id } };
      await table.removeAll(await table.queryAll({ ...range, filter }));
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
