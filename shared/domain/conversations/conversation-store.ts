import { conflict, invalidAt, notFound } from '../../core/errors/errors.ts';
import { createdAtFromId } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import type { Modification } from '../../platform/data/modify.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertFits } from '../content-size.ts';
import { messageAppender } from './append-messages.ts';
import { type Conversation, conversationEntity, storedConversation } from './conversation.ts';
import { type ConversationUsage, withUsage } from './conversation-usage.ts';
import type { NewMessage } from './message-writes.ts';
import { messageReplacement, newGeneration } from './replace-messages.ts';
import { conversationExpiry } from './retention.ts';

const conversationBytesMax = 100_000;

/** What a conversation can be created with. Missing members are empty. */
export interface NewConversation {
  /** From the scope's generator, if it must be known before. */
  id?: string | undefined;
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
  ['table:write', 'table:delete', messageAppender, messageReplacement, conversationExpiry, cleanupQueue],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const expiry = conversationExpiry(scope);
    const replacement = messageReplacement(scope);

    /** @throws 404 */
    async function find(id: string): Promise<Conversation> {
      const conversation = await table.get(conversationEntity, { id }, { consistent: true });
      if (!conversation) throw notFound('Conversation');
      return conversation;
    }

    return {
      find,
      append: messageAppender(scope),

      async create(
        { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
        { id = newId('conv'), title, client, ...given }: NewConversation,
      ): Promise<Conversation> {
        const at = createdAtFromId(id);
        const { modelId = null, ownerId = null, systemPrompt = null, metadata = {} } = given;
        const { tokenId = null, flowId = null, origin = null, surfaceId = null } = client ?? {};
        const conversation: Omit<Conversation, 'search'> = {
          id,
          revision: 1,
          userId,
          organizationId,
          title,
          source: client ? 'client_token' : 'app',
          modelId,
          ownerId,
          systemPrompt,
          metadata,
          clientTokenId: tokenId,
          surfaceId,
          flowId,
          origin,
          firstMessage: null,
          messageCount: 0,
          generation: newGeneration(newId),
          createdAt: at,
          updatedAt: at,
          ...expiry(),
        };
        const item = stored(conversation);
        await table.commit([table.writes.insert(conversationEntity, item)]);
        return conversationEntity.schema.parse(item);
      },

      /** Counts what a run used that added no message. Nothing for a conversation that was deleted. */
      async count(id: string, run: ConversationUsage): Promise<void> {
        const add = ({ usage }: Conversation) => ({ update: { set: { usage: withUsage(usage, run) } } });
        await table.modify(conversationEntity, { id }, add, { consistent: true, conflictError });
      },

      /** @throws 400, 404; 409 if messages are replaced while another request changes the conversation. */
      async update(id: string, { messages, ...changes }: ConversationChanges): Promise<Conversation> {
        const known = messages ? await find(id) : undefined;
        const replaced = messages && (await replacement.write(id, messages));
        const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
        const decide = ({
          ttl: _former,
          ...before
        }: Conversation): Modification<typeof conversationEntity> => {
          if (before.clientTokenId && changes.ownerId) throw notOwned();
          const after = { ...before, ...given, ...replaced, ...expiry() };
          return { put: stored({ ...after, updatedAt: now().toISOString() }) };
        };
        const options = { consistent: true, conflictError, ...(known && { known, attempts: 1 }) };
        const conversation = await table.modify(conversationEntity, { id }, decide, options);
        if (!conversation) throw notFound('Conversation');
        if (messages) await replacement.removeFormer(conversation);
        return conversation;
      },

      /** Unreadable at once; a clean-up of its id removes its messages. @throws 404 */
      async remove(id: string): Promise<void> {
        const removal = (): Modification<typeof conversationEntity> => ({
          remove: true,
          alsoWrite: [tombstoneWrite(scope, id)],
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
