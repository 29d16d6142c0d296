import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { absent } from '../../platform/data/writes.ts';
import { type Conversation, conversationExpiry } from '../conversations/conversation.ts';
import { feedbackEntity, feedbackRange, type NewFeedback } from '../conversations/feedback.ts';
import { messageIdEntity } from '../conversations/message-items.ts';
import { type RunFeedback, runFeedbackEntity } from './run-feedback.ts';

/** What a chat belongs to. */
interface ChatTarget {
  kind: 'flow' | 'agent';
  id: string;
}

type Place = Pick<Conversation, 'id' | 'generation'>;

const csatMax = 5;
const npsMax = 10;

/** A visitor's feedback, which the conversation has and the run that it is about, in one transaction. */
export const visitorFeedback = /* @__PURE__ */ using(
  ['table:write', 'table:delete', conversationExpiry],
  (scope: Scope) => {
    const { table, now, newId } = scope;

    /** What it replaces; undefined if the conversation has no such message. */
    async function readReplaced({ id: conversationId, generation }: Place, { messageId, type }: NewFeedback) {
      const place = { conversationId, generation, messageId: messageId ?? '' };
      const keys = [feedbackEntity.key({ conversationId, messageId, type }), messageIdEntity.key(place)];
      const [former, message] = await table.getMany(keys, { consistent: true });
      if (messageId !== null && !message) return undefined;
      const runId = message && decode(messageIdEntity, message).runId;
      return { formerId: former && decode(feedbackEntity, former).id, runId };
    }

    async function replace(conversation: Place, feedback: NewFeedback, target: ChatTarget) {
      const replaced = await readReplaced(conversation, feedback);
      if (!replaced) return undefined;
      const { formerId, runId } = replaced;
      const [conversationId, messageId] = [conversation.id, feedback.messageId];
      const fields = {
        id: newId('feedback'),
        createdAt: now().toISOString(),
        ...conversationExpiry(scope)(),
      };
      const isFormer = formerId ? { expression: '#id = :formerId', values: { formerId } } : absent;
      const metadata = JSON.stringify(feedback.metadata);
      const ofRun = { ...toJudgement(feedback), ...toTarget(target), ...fields, conversationId };
      const about = { ...(runId && { runId }), ...(messageId !== null && { messageId }) };
      await table.commit([
        table.writes.put(feedbackEntity, { ...feedback, conversationId, metadata, ...fields }, isFormer),
        table.writes.put(runFeedbackEntity, { ...ofRun, ...about, source: 'client' }),
        ...(formerId ? [table.writes.remove(runFeedbackEntity, { id: formerId })] : []),
      ]);
      return fields.id;
    }

    return {
      /** The last one of a kind wins. @returns its id; undefined if the conversation has no such message. */
      put: (conversation: Place, feedback: NewFeedback, target: ChatTarget): Promise<string | undefined> =>
        retryOnConflict(() => replace(conversation, feedback, target)),

      /** Deletes it from its conversation, unless another one replaced it. */
      async remove(conversationId: string, id: string): Promise<void> {
        const filter = { expression: '#id = :id', values: { id } };
        await table.removeRange({ ...feedbackRange(conversationId), filter });
      },
    };
  },
);

const toTarget = ({ kind, id }: ChatTarget) =>
  kind === 'flow' ? { kind, flowId: id } : { kind, agentId: id };

/** A vote is a rating; csat (1 to 5) and nps (0 to 10) are scores; a copy is none. */
function toJudgement({
  type,
  rating,
  comment,
}: NewFeedback): Pick<RunFeedback, 'rating' | 'score' | 'label' | 'comment'> {
  const said = comment ? { comment } : {};
  if (type === 'upvote') return { ...said, rating: 1 };
  if (type === 'downvote') return { ...said, rating: -1 };
  if (rating === null) return { ...said, label: type };
  return { ...said, label: type, score: type === 'csat' ? (rating - 1) / (csatMax - 1) : rating / npsMax };
}

/** Before a conversation is deleted: what its visitors said of runs. */
export const visitorFeedbackRemover = /* @__PURE__ */ using(
  ['table:write', 'table:delete'],
  ({ table }: Scope) =>
    async (conversationId: string): Promise<void> => {
      for await (const items of table.pages({ ...feedbackRange(conversationId), perQuery: 200 })) {
        await table.removeAll(items.map(({ id }) => runFeedbackEntity.key({ id: String(id) })));
      }
    },
);
