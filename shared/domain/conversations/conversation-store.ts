/**
 * Conversations and the messages that are added to them.
 * Appending writes the new messages, their ids and the conversation in one transaction, on the condition that the
 * conversation is unchanged; messages whose ids it has already are skipped, so a request can be repeated. Replacing all
 * messages writes them as a new generation, which no reader finds until the conversation names it, and removes the
 * former generation afterwards; a crash leaves items that the next replacement or the cleanup removes.
 * Removing makes a conversation unreadable at once, and the cleanup removes its messages.
 * The writes of messages are in `message-writes.ts`, pages in `message-pages.ts`, lists in `list-conversations.ts`.
 * Callers: the endpoints of conversations and of the client chat, chats, and OpenAI responses.
 */
import type { Spending } from '../../adapters/ports/spending.ts';
import { toChunks } from '../../core/chunks.ts';
import { conflict, invalidAt } from '../../core/errors/errors.ts';
import { getIdCreatedAt, type NewId } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { cleanupQueue } from '../../platform/cleanup/cleanup.ts';
import { tombstoneWrite } from '../../platform/cleanup/tombstone.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { createConflictError } from '../../platform/data/entity.ts';
import { isUnchanged, type Modification } from '../../platform/data/modify.ts';
import { payloadRemover } from '../../platform/data/payloads.ts';
import { retryOnConflict } from '../../platform/data/retry-on-conflict.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { assertFits } from '../content-size.ts';
import {
  addUsage,
  type Conversation,
  composeSearchText,
  conversationEntity,
  conversationExpiry,
  toStoredConversation,
} from './conversation.ts';
import { formerMessagesRanges } from './message-items.ts';
import {
  findFirstUserMessage,
  messageWrites,
  type NewMessage,
  type PreparedMessage,
} from './message-writes.ts';

/** A transaction has 100 writes: two for each message, the conversation, and those of the caller. */
const appendedMax = 40;

export interface AppendOptions {
  /** The conversation, if it was read before. Saves a request. */
  current?: Conversation;
  /** Further writes for the same transaction. Their refusal is a conflict, at once. */
  alsoWrite?: readonly Write[];
  /** Creates the error to throw if they were refused. */
  alsoWriteRefused?: () => Error;
  /** What the messages cost: those of a run. Counted if any was added. */
  usage?: Spending;
}

interface Appended {
  /** After it. */
  conversation: Conversation;
  /** How many messages the conversation did not have. */
  added: number;
}

/** The writes that add messages to a conversation as it was read. */
const appendWrites = /* @__PURE__ */ using(['table:write', messageWrites], (scope: Scope) => {
  const { table, now } = scope;
  const writes = messageWrites(scope);

  function update(
    { ttl: formerTtl, ...before }: Conversation,
    added: readonly PreparedMessage[],
    usage?: Spending,
  ) {
    const expiry = writes.expiry();
    const firstMessage = before.firstMessage ?? findFirstUserMessage(added.map(({ message }) => message));
    const set = {
      revision: before.revision + 1,
      updatedAt: now().toISOString(),
      ...expiry,
      messageCount: before.messageCount + added.length,
      ...(usage && { usage: addUsage(before.usage, usage) }),
      ...(firstMessage !== before.firstMessage && {
        firstMessage,
        search: composeSearchText({ title: before.title, firstMessage }),
      }),
    };
    // The deployment may have had a retention before.
    const remove = formerTtl !== undefined && expiry.ttl === undefined ? (['ttl'] as const) : [];
    const write = table.writes.update(conversationEntity, before, { set, remove }, isUnchanged(before));
    return { write, after: { ...before, ...set } };
  }

  /** @param usage What the messages cost. */
  return (before: Conversation, added: readonly PreparedMessage[], usage?: Spending) => {
    const { write, after } = update(before, added, usage);
    return { writes: [write, ...writes.insert(before, added, before.messageCount)], conversation: after };
  };
});

export const messageAppender = /* @__PURE__ */ using([appendWrites, messageWrites], (scope: Scope) => {
  const { table } = scope;
  const toWrites = appendWrites(scope);

  /**
   * Adds all messages or none, in one transaction. Skips those whose ids the conversation has, so a request can be
   * repeated; `alsoWrite` is written only if any was added.
   * @throws 400 for a message that is too large, 404; 409 after conflicts with other writers on every attempt.
   */
  return async function append(
    id: string,
    messages: readonly NewMessage[],
    { current, alsoWrite = [], alsoWriteRefused = createContention, usage }: AppendOptions = {},
  ): Promise<Appended> {
    if (messages.length > appendedMax) throw new RangeError(`At most ${appendedMax} messages at once`);
    const unique = messages.filter((one, at) => messages.findIndex((other) => other.id === one.id) === at);
    let rest = await messageWrites(scope).prepare(id, unique, appendedMax);
    let before = current;
    const attempt = async (): Promise<Appended> => {
      before ??= await table.find(conversationEntity, { id }, { consistent: true });
      if (rest.length === 0) return { conversation: before, added: 0 };
      const { writes, conversation } = toWrites(before, rest, usage);
      before = undefined;
      try {
        await table.commit([...writes, ...alsoWrite]);
      } catch (error) {
        // The write of the id of message n is the one at 1 + 2n.
        if (!(error instanceof ConditionFailed)) throw error;
        if (error.failed.some((index) => index > 2 * rest.length)) throw alsoWriteRefused();
        rest = rest.filter((_, index) => !error.failed.includes(1 + 2 * index));
        throw error;
      }
      return { conversation, added: rest.length };
    };
    return retryOnConflict(attempt, { conflictError: createContention });
  };
});

const createContention = () =>
  conflict('Other requests kept adding messages to the conversation; send the request again');

/** Two writes each, of the 100 that a transaction has. */
const replacedTogether = 50;

type Offloaded = { pointer?: string } | undefined;

/** Sorts after those before. */
const createGeneration = (newId: NewId) => newId('msg').slice('msg_'.length);

/** Replaces all messages of a conversation: first writes the new ones, and at last removes the former ones. */
const messageReplacement = /* @__PURE__ */ using(
  ['table:write', 'table:delete', messageWrites, payloadRemover],
  (scope: Scope) => {
    const { table, newId } = scope;
    const writes = messageWrites(scope);
    const payloads = payloadRemover();
    return {
      /** Writes messages as a generation that the conversation does not name yet. @returns what it has to name. */
      async write(
        id: string,
        messages: readonly NewMessage[],
      ): Promise<Pick<Conversation, 'generation' | 'messageCount' | 'firstMessage'>> {
        const generation = createGeneration(newId);
        const prepared = await writes.prepare(id, messages, replacedTogether);
        for (const [index, chunk] of toChunks(prepared, replacedTogether).entries()) {
          await table.commit(writes.insert({ id, generation }, chunk, index * replacedTogether));
        }
        return { generation, messageCount: messages.length, firstMessage: findFirstUserMessage(messages) };
      },

      /** Removes messages of generations before the current one, also those that a crash left. */
      async removeFormer(conversation: Conversation): Promise<void> {
        for (const range of formerMessagesRanges(conversation)) {
          await table.removeRange(range, (items) =>
            payloads.remove(items.flatMap(({ content }) => (content as Offloaded)?.pointer ?? [])),
          );
        }
      },
    };
  },
);

const conversationBytesMax = 100_000;

/** What a conversation can be created with. Missing members are empty. */
interface NewConversation {
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
type ConversationChanges = {
  [Member in 'title' | 'modelId' | 'ownerId' | 'systemPrompt' | 'metadata']?:
    | Conversation[Member]
    | undefined;
} & { messages?: readonly NewMessage[] | undefined };

export const conversationStore = /* @__PURE__ */ using(
  [
    'table:write',
    'table:delete',
    messageAppender,
    appendWrites,
    messageReplacement,
    conversationExpiry,
    cleanupQueue,
  ],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const expiry = conversationExpiry(scope);
    const replacement = messageReplacement(scope);

    /** @throws 404 */
    const find = (id: string): Promise<Conversation> =>
      table.find(conversationEntity, { id }, { consistent: true });

    return {
      find,
      append: messageAppender(scope),

      /** The writes of `append` for another transaction, which they refuse if the conversation has changed or has the messages. */
      async prepareAppend(
        current: Conversation,
        messages: readonly NewMessage[],
        usage?: Spending,
      ): Promise<{ writes: Write[]; conversation: Conversation }> {
        const prepared = await messageWrites(scope).prepare(current.id, messages, appendedMax);
        return appendWrites(scope)(current, prepared, usage);
      },

      async create(
        { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
        { id = newId('conv'), title, client, ...fields }: NewConversation,
      ): Promise<Conversation> {
        const at = getIdCreatedAt(id);
        const { modelId = null, ownerId = null, systemPrompt = null, metadata = {} } = fields;
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
          generation: createGeneration(newId),
          createdAt: at,
          updatedAt: at,
          ...expiry(),
        };
        const item = toItem(conversation);
        await table.commit([table.writes.insert(conversationEntity, item)]);
        return conversationEntity.schema.parse(item);
      },

      /** Counts what a run used that added no message. Nothing for a conversation that was deleted. */
      async count(id: string, run: Spending): Promise<void> {
        const add = ({ usage }: Conversation) => ({ update: { set: { usage: addUsage(usage, run) } } });
        const conflictError = () => createConflictError(conversationEntity);
        await table.modify(conversationEntity, { id }, add, { consistent: true, conflictError });
      },

      /** @throws 400, 404; 409 if messages are replaced while another request changes the conversation. */
      async update(id: string, { messages, ...changes }: ConversationChanges): Promise<Conversation> {
        const current = messages ? await find(id) : undefined;
        const replaced = messages && (await replacement.write(id, messages));
        const defined = Object.fromEntries(
          Object.entries(changes).filter(([, value]) => value !== undefined),
        );
        const decide = ({
          ttl: _former,
          ...before
        }: Conversation): Modification<typeof conversationEntity> => {
          if (before.clientTokenId && changes.ownerId) throw createNotOwnedError();
          const after = { ...before, ...defined, ...replaced, ...expiry() };
          return { put: toItem({ ...after, updatedAt: now().toISOString() }) };
        };
        const options = {
          consistent: true,
          ...(current && { current, attempts: 1 }),
        };
        const conversation = await table.change(conversationEntity, { id }, decide, options);
        if (messages) await replacement.removeFormer(conversation);
        return conversation;
      },

      /** Unreadable at once; a clean-up of its id removes its messages. @throws 404 */
      async remove(id: string): Promise<void> {
        const decideRemoval = (): Modification<typeof conversationEntity> => ({
          remove: true,
          alsoWrite: [tombstoneWrite(scope, id)],
        });
        await table.change(conversationEntity, { id }, decideRemoval, { consistent: true });
        await cleanupQueue(scope).enqueue([id]);
      },
    };
  },
);

/** @throws 400 if the conversation does not fit. */
function toItem(conversation: Omit<Conversation, 'search'>) {
  const item = toStoredConversation(conversation);
  const systemPrompt = JSON.stringify(conversation.systemPrompt);
  assertFits('a conversation', { systemPrompt, metadata: item.metadata }, conversationBytesMax);
  return item;
}

const createNotOwnedError = () =>
  invalidAt(
    'ownerId',
    'INVALID_VALUE',
    'A conversation of a client token has no owner. Store the id of the visitor in metadata',
  );
