import { chunksOf } from '../../core/chunks.ts';
import { conflict, invalidAt, notFound } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import { tombstoneOf } from '../../platform/cleanup/tombstone.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertFits } from '../content-size.ts';
import { messageAppender } from './append-messages.ts';
import {
  type Conversation,
  conversationEntity,
  formerMessagesRanges,
  storedConversation,
} from './conversation.ts';
import { firstMessageOf, messageWrites, type NewMessage } from './message-writes.ts';

const conversationBytesMax = 100_000;
/** Two writes each, of the 100 that a transaction has. */
const replacedTogether = 50;

/** What a conversation can be created with. Missing members are empty. */
export interface NewConversation {
  title: string;
  modelId?: string | null | undefined;
  ownerId?: string | null | undefined;
  systemPrompt?: string | null | undefined;
  metadata?: Record<string, unknown> | undefined;
  /** The client token that it was started with, and from where. */
  client?: Pick<Conversation, 'flowId' | 'origin' | 'surfaceId'> & { tokenId: string };
}

/** Missing members stay unchanged. `messages` replaces all messages. */
export type ConversationChanges = {
  [Member in 'title' | 'modelId' | 'ownerId' | 'systemPrompt' | 'metadata']?:
    | Conversation[Member]
    | undefined;
} & { messages?: readonly NewMessage[] | undefined };

export const conversationStore = /* @__PURE__ */ using(
  ['table:write', messageWrites, messageAppender, cleanupQueue],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const writes = messageWrites(scope);
    const newGeneration = () => newId('msg').slice('msg_'.length);

    /** @throws 404 */
    async function find(id: string): Promise<Conversation> {
      const conversation = await table.get(conversationEntity, { id }, { consistent: true });
      if (!conversation) throw notFound('Conversation');
      return conversation;
    }

    /** Writes messages that are not part of the conversation yet. */
    async function writeGeneration(id: string, messages: readonly NewMessage[]) {
      const generation = newGeneration();
      const prepared = await writes.prepare(id, messages, replacedTogether);
      for (const [index, chunk] of chunksOf(prepared, replacedTogether).entries()) {
        await table.commit(writes.insert({ id, generation }, chunk, index * replacedTogether));
      }
      return { generation, messageCount: messages.length, firstMessage: firstMessageOf(messages) };
    }

    async function removeFormerMessages(conversation: Conversation): Promise<void> {
      for (const range of formerMessagesRanges(conversation)) {
        for await (const items of table.pages({ ...range, limit: 200 })) await table.removeAll(items);
      }
    }

    return {
      find,
      append: messageAppender(scope),

      async create(
        { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
        { title, client, ...given }: NewConversation,
      ): Promise<Conversation> {
        const at = now().toISOString();
        const { modelId = null, ownerId = null, systemPrompt = null, metadata = {} } = given;
        const { tokenId = null, flowId = null, origin = null, surfaceId = null } = client ?? {};
        const conversation: Omit<Conversation, 'search'> = {
          ...{ id: newId('conv'), revision: 1, userId, organizationId, title },
          ...{ source: client ? 'client_token' : 'app', modelId, ownerId, systemPrompt, metadata },
          ...{ clientTokenId: tokenId, surfaceId, flowId, origin },
          ...{ firstMessage: null, messageCount: 0, generation: newGeneration() },
          ...{ createdAt: at, updatedAt: at, ...writes.expiry() },
        };
        const item = stored(conversation);
        await table.commit([table.writes.insert(conversationEntity, item)]);
        return conversationEntity.schema.parse(item);
      },

      /** @throws 400, 404; 409 if messages are replaced while another request changes the conversation. */
      async update(id: string, { messages, ...changes }: ConversationChanges): Promise<Conversation> {
        const known = messages ? await find(id) : undefined;
        const replaced = messages && (await writeGeneration(id, messages));
        const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
        const decide = ({
          ttl: _former,
          ...before
        }: Conversation): Modification<typeof conversationEntity> => {
          if (before.clientTokenId && changes.ownerId) throw notOwned();
          const after = { ...before, ...given, ...replaced, ...writes.expiry() };
          return { put: stored({ ...after, updatedAt: now().toISOString() }) };
        };
        const options = { consistent: true, conflictError, ...(known && { known, attempts: 1 }) };
        const conversation = await table.modify(conversationEntity, { id }, decide, options);
        if (!conversation) throw notFound('Conversation');
        if (messages) await removeFormerMessages(conversation);
        return conversation;
      },

      /** Unreadable at once; a clean-up of its id removes its messages. @throws 404 */
      async remove(id: string): Promise<void> {
        const removal = (): Modification<typeof conversationEntity> => ({
          ...{ remove: true, alsoWrite: [tombstoneOf(scope, id)] },
        });
        const options = { consistent: true, conflictError };
        if (!(await table.modify(conversationEntity, { id }, removal, options)))
          throw notFound('Conversation');
        await cleanupQueue(scope).deleted([id]);
      },
    };
  },
);

/** @throws 400 if the conversation does not fit. */
function stored(conversation: Omit<Conversation, 'search'>) {
  const item = storedConversation(conversation);
  const systemPrompt = JSON.stringify(conversation.systemPrompt);
  assertFits('a conversation', { systemPrompt, metadata: item.metadata }, conversationBytesMax);
  return item;
}

const notOwned = () =>
  invalidAt(
    'ownerId',
    'INVALID_VALUE',
    'A conversation of a client token has no owner. Store the id of the visitor in metadata',
  );

const conflictError = () =>
  conflict('The conversation was changed by another request at the same time; read it again and retry');
