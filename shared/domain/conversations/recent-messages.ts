/**
 * What the next answer of a chat gets of its conversation: the newest messages, and a summary of those before.
 * A process keeps short histories of conversations that it has answered, so that the next answer needs no Query (D300). One is used
 * only for the revision of the conversation that it was read for, and each write of messages counts the revision. A summary
 * is written without that: it is stored while its run is answering, and the process forgets what it has kept.
 * Histories of conversations that expire are not kept, because their messages expire one by one.
 * Callers: `protocols/chat`, and the loop of agents for summaries.
 */
import { createBoundedMap } from '../../core/cache.ts';
import { truncate } from '../../core/text.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Conversation } from './conversation.ts';
import { messageEntity } from './message-items.ts';
import { messagePages, type RecentMessages, type StoredMessage } from './message-pages.ts';

const historyMax = 100;
/** Shorter than what is summarised. */
const keptMessagesMax = 40;
const keptCharactersMax = 24_000;

const noMessages: RecentMessages = {
  summary: undefined,
  instructions: undefined,
  messages: [],
  firstNumber: 0,
};

type Revision = Pick<Conversation, 'id' | 'revision' | 'updatedAt'>;
type Kept = Revision & { recent: RecentMessages };

const kept = /* @__PURE__ */ createBoundedMap<Kept>({ entriesMax: 200, ttlMs: 600_000 });
const nameOf = ({ table }: Pick<Scope, 'table'>, id: string) => `${table.tenant} ${id}`;

export const recentMessages = /* @__PURE__ */ using([messagePages], (scope: Scope) => {
  const find = ({ id, revision, updatedAt }: Revision): RecentMessages | undefined => {
    const found = kept.get(nameOf(scope, id));
    return found?.revision === revision && found.updatedAt === updatedAt ? found.recent : undefined;
  };
  const keep = ({ id, revision, updatedAt, ttl }: Conversation, recent: RecentMessages): void => {
    if (ttl === undefined && isShort(recent))
      kept.set(nameOf(scope, id), { id, revision, updatedAt, recent });
    else kept.delete(nameOf(scope, id));
  };

  return {
    /** The newest messages that no summary covers, at most 100. */
    async read(conversation: Conversation): Promise<RecentMessages> {
      const known = find(conversation);
      if (known) return known;
      const isNew = conversation.messageCount === 0;
      const recent = isNew ? noMessages : await messagePages(scope).readRecent(conversation, historyMax);
      keep(conversation, recent);
      return recent;
    },

    /** Notes that messages were added to a conversation, and nothing else between the two. */
    add(before: Conversation, after: Conversation, messages: readonly StoredMessage[]): void {
      const known = after.revision === before.revision + 1 ? find(before) : undefined;
      if (known) keep(after, { ...known, messages: [...known.messages, ...messages] });
    },
  };
});

function isShort({ summary, messages, firstNumber }: RecentMessages): boolean {
  if (summary !== undefined || firstNumber > 0 || messages.length > keptMessagesMax) return false;
  const texts = messages.map(({ content }) => (typeof content === 'string' ? content : undefined));
  return (
    texts.every((text) => text !== undefined) &&
    texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) <= keptCharactersMax
  );
}

/** An item has 400 KB, and the content of its message up to half of that. */
const instructionsMax = 30_000;

export interface Summary {
  summary: string;
  /** The texts of their system messages; cut at 30,000 characters. */
  instructions: string;
}

/** Summaries of conversations. Each belongs to the last message that it covers. */
export const messageSummaries = /* @__PURE__ */ using(['table:write'], ({ table }: Scope) => ({
  /** Stores a summary, unless its message is gone. */
  async store(
    place: { conversationId: string; generation: string; number: number },
    { summary: summaryToHere, instructions }: Summary,
  ): Promise<void> {
    const instructionsToHere = truncate(instructions, instructionsMax) || undefined;
    const exists = { expression: 'attribute_exists(PK)' };
    const set = { summaryToHere, instructionsToHere };
    kept.delete(nameOf({ table }, place.conversationId));
    await table
      .commit([table.writes.update(messageEntity, place, { set }, exists)])
      .catch(onConditionFailed(undefined));
  },
}));
