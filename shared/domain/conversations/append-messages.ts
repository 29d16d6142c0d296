import { conflict, notFound } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { isUnchanged } from '../../platform/data/modify.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Conversation, conversationEntity, conversationSearchText } from './conversation.ts';
import { type ConversationUsage, withUsage } from './conversation-usage.ts';
import { firstUserMessage, messageWrites, type NewMessage, type PreparedMessage } from './message-writes.ts';

/** A transaction has 100 writes: two for each message, the conversation, and those of the caller. */
const appendedMax = 40;

export interface AppendOptions {
  /** The conversation, if it was read before. Saves a request. */
  known?: Conversation;
  /** Further writes for the same transaction. Their refusal is a conflict, at once. */
  alsoWrite?: readonly Write[];
  /** Creates the error to throw if they were refused. */
  alsoWriteRefused?: () => Error;
  /** What the messages cost: those of a run. Counted if any was added. */
  usage?: ConversationUsage;
}

interface Appended {
  /** After it. */
  conversation: Conversation;
  /** How many messages the conversation did not have. */
  added: number;
}

export const messageAppender = /* @__PURE__ */ using(['table:write', messageWrites], (scope: Scope) => {
  const { table, now } = scope;
  const writes = messageWrites(scope);

  function update(
    { ttl: formerTtl, ...before }: Conversation,
    added: readonly PreparedMessage[],
    usage?: ConversationUsage,
  ) {
    const expiry = writes.expiry();
    const firstMessage = before.firstMessage ?? firstUserMessage(added.map(({ message }) => message));
    const set = {
      revision: before.revision + 1,
      updatedAt: now().toISOString(),
      ...expiry,
      messageCount: before.messageCount + added.length,
      ...(usage && { usage: withUsage(before.usage, usage) }),
      ...(firstMessage !== before.firstMessage && {
        firstMessage,
        search: conversationSearchText({ title: before.title, firstMessage }),
      }),
    };
    // The deployment may have had a retention before.
    const remove = formerTtl !== undefined && expiry.ttl === undefined ? (['ttl'] as const) : [];
    const write = table.writes.update(conversationEntity, before, { set, remove }, isUnchanged(before));
    return { write, after: { ...before, ...set } };
  }

  /**
   * Adds all messages or none, in one transaction. Skips those whose ids the conversation has, so a request can be
   * repeated; `alsoWrite` is written only if any was added.
   * @throws 400 for a message that is too large, 404; 409 after conflicts with other writers on every attempt.
   */
  return async function append(
    id: string,
    messages: readonly NewMessage[],
    { known, alsoWrite = [], alsoWriteRefused = keptChanging, usage }: AppendOptions = {},
  ): Promise<Appended> {
    if (messages.length > appendedMax) throw new RangeError(`At most ${appendedMax} messages at once`);
    const unique = messages.filter((one, at) => messages.findIndex((other) => other.id === one.id) === at);
    let rest = await writes.prepare(id, unique, appendedMax);
    let before = known;
    const attempt = async (): Promise<Appended> => {
      before ??= await table.get(conversationEntity, { id }, { consistent: true });
      if (!before) throw notFound('Conversation');
      if (rest.length === 0) return { conversation: before, added: 0 };
      const { write, after } = update(before, rest, usage);
      const inserts = writes.insert(before, rest, before.messageCount);
      before = undefined;
      try {
        await table.commit([write, ...inserts, ...alsoWrite]);
      } catch (error) {
        // The write of the id of message n is the one at 1 + 2n.
        if (!(error instanceof ConditionFailed)) throw error;
        if (error.failed.some((index) => index > 2 * rest.length)) throw alsoWriteRefused();
        rest = rest.filter((_, index) => !error.failed.includes(1 + 2 * index));
        throw error;
      }
      return { conversation: after, added: rest.length };
    };
    return retryOnConflict(attempt, { conflictError: keptChanging });
  };
});

const keptChanging = () =>
  conflict('Other requests kept adding messages to the conversation; send the request again');
