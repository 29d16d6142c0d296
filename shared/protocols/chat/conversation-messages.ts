/**
 * What a chat writes into its conversation: the message of a visitor with the run that is to answer it, and the answer
 * when it ends.
 * A message is added with the note of its run in one transaction; one whose id the conversation has is a 409. An answer
 * is added in the transaction that ends its turn, unless another message has interrupted it; if a reader of the answer
 * was quicker, it is among the newest messages and is not added again. What a run used is counted also where its answer
 * is not added, or the tenant has deleted the conversation.
 * A crash before the end leaves the message and the run, from which `settled-runs.ts` adds the answer later.
 * Callers: `open-turn.ts`, `continue-answer.ts`, `follow-answer.ts`; the forms that a page sends and sees are in
 * `chat-message.ts`.
 */
import type { Spending } from '../../adapters/ports/spending.ts';
import { conflict, hasCode, ifMissing } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { truncate } from '../../core/text.ts';
import type { ChatTurn } from '../../domain/client-sessions/chat-turns.ts';
import { type SessionRun, sessionRuns } from '../../domain/client-sessions/client-session.ts';
import { turnLeases } from '../../domain/client-sessions/turn-state.ts';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import { conversationStore } from '../../domain/conversations/conversation-store.ts';
import { type ContentPart, type Message, messageText } from '../../domain/conversations/message.ts';
import { messagePages } from '../../domain/conversations/message-pages.ts';
import { shortenAnswer } from '../../domain/conversations/message-writes.ts';
import { allBytesMax, filesMax } from '../../execution/model-calls/to-model-messages.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { ChatMessage } from './chat-message.ts';
import type { SessionContext } from './visitor.ts';

const historyMax = 100;
/** More than are added while an answer ends. */
const searchedMax = 20;
const titleCharactersMax = 80;

/** With its conversation, if that was just read or written. */
export type AnswerRun = SessionRun & { conversation?: Conversation };
type AnswerPlace = Pick<SessionRun, 'hash' | 'conversationId' | 'answerId'>;

export interface NewChatMessage {
  /** Of the run that is to answer it. */
  executionId: string;
  answerId: string;
  message: ChatMessage;
  metadata: Record<string, unknown> | undefined;
}

export const conversationMessages = /* @__PURE__ */ using(
  [turnLeases, sessionRuns, conversationStore, messagePages],
  (scope: Scope) => {
    const conversations = conversationStore(scope);
    const turns = turnLeases(scope);

    async function openConversation(
      { token, origin, session }: SessionContext,
      { message, metadata }: Pick<NewChatMessage, 'metadata'> & { message: Message },
    ): Promise<Conversation> {
      const { conversationId, target } = session;
      // The tenant may have deleted it.
      const found = conversationId && (await conversations.find(conversationId).catch(ifMissing(undefined)));
      if (found) return found;
      const flowId = target.kind === 'flow' ? target.id : null;
      const title = truncate(messageText(message).trim(), titleCharactersMax) || 'Chat';
      const client = { tokenId: token.id, flowId, origin, surfaceId: token.surface?.id ?? null };
      return conversations.create(token, { title, metadata, client });
    }

    /** Whether the answer of a run is among the newest messages: not an equal one from before its question. */
    async function hasAnswer(
      { conversationId, answerId, conversation: asked }: AnswerRun,
      text: string,
    ): Promise<boolean> {
      const conversation = await conversations.find(conversationId).catch(ifMissing(undefined));
      if (!conversation) return false;
      const { messages } = await messagePages(scope).readBefore(conversation, { limit: searchedMax });
      const stored = shortenAnswer(text);
      const isSince = (createdAt: string) => asked === undefined || createdAt >= asked.updatedAt;
      return messages.some(
        ({ id, role, content, createdAt }) =>
          id === answerId && role === 'assistant' && content === stored && isSince(createdAt),
      );
    }

    /** A failure does not keep the end of an answer from its reader. */
    const count = (id: string, usage: Spending): Promise<void> =>
      conversations
        .count(id, usage)
        .catch((error) => log.error('What an answer used could not be counted', { error }));

    return {
      /** Adds the message of a turn. @returns the history with it. @throws 409 for a message that came before. */
      async addMessage(
        visit: SessionContext,
        { noteRun, refusal: alsoWriteRefused }: Pick<ChatTurn, 'noteRun' | 'refusal'>,
        { executionId, answerId, message: chatMessage, metadata }: NewChatMessage,
      ) {
        const { hash, target } = visit.session;
        const message: Message = { role: 'user', content: dropReasoning(chatMessage) };
        const conversation = await openConversation(visit, { message, metadata });
        const { id: conversationId } = conversation;
        const { messages, ...before } = await messagePages(scope).readRecent(conversation, historyMax);
        const run = { hash, executionId, target, conversationId, answerId };
        const noted = noteRun({ conversationId, runId: executionId });
        const added = { ...message, id: chatMessage.id ?? scope.newId('msg') };
        const { conversation: after, added: count } = await conversations.append(conversationId, [added], {
          current: conversation,
          alsoWrite: [noted, sessionRuns(scope).insert(run)],
          alsoWriteRefused,
        });
        if (count === 0) throw alreadySent();
        const texts = messages.flatMap(({ role, content }): Message[] =>
          content === null ? [] : [{ role, content }],
        );
        const previousMessageAt = messages.at(-1)?.createdAt;
        const history = { ...before, conversationId, generation: conversation.generation };
        const answered = { ...run, conversation: after };
        return { run: answered, messages: keepRecentFiles([...texts, message]), history, previousMessageAt };
      },

      /** Adds the answer and ends the turn, unless another message has interrupted it. */
      async addAnswer(
        run: AnswerRun,
        turnId: string,
        text: string,
        usage: Spending,
      ): Promise<'interrupted' | 'stored' | 'stored, and the turn has ended'> {
        const { hash, executionId, conversationId, answerId, conversation } = run;
        const alsoWrite = [turns.answeredOf(hash, turnId)];
        const options = { alsoWrite, usage, ...(conversation && { current: conversation }) };
        const add = (id: string) =>
          conversations.append(conversationId, toAnswerMessages(id, text, executionId), options).then(
            ({ added }) => (added > 0 ? 'stored, and the turn has ended' : 'stored'),
            (error) => {
              if (hasCode(error, 'CONFLICT')) return 'interrupted';
              // The tenant has deleted it, and the visitor gets the answer all the same.
              if (hasCode(error, 'NOT_FOUND')) return 'stored';
              throw error;
            },
          );
        const first = await add(answerId);
        const isTaken = first === 'stored' && text !== '';
        // A reader of the answer was quicker, and has counted it.
        if (isTaken && (await hasAnswer(run, text))) return 'stored';
        // The page gave it the id of another message.
        const outcome = isTaken ? await add(scope.newId('msg')) : first;
        if (outcome !== 'stored, and the turn has ended') await count(conversationId, usage);
        return outcome;
      },

      /** Counts what a run used whose answer is not added. */
      count: ({ conversationId }: AnswerPlace, usage: Spending) => count(conversationId, usage),

      /** Adds what the visitor says when an answer continues. */
      async addTexts({ conversationId }: AnswerPlace, messages: readonly Message[]): Promise<void> {
        const added = messages.map((message) => ({ ...message, id: scope.newId('msg') }));
        if (added.length > 0) await conversations.append(conversationId, added).catch(ifMissing(undefined));
      },

      /** Adds the answer of a run that its own request did not add, unless the conversation has it or was deleted. */
      async addLateAnswer(
        run: AnswerPlace & { executionId: string },
        text: string,
        usage: Spending,
      ): Promise<void> {
        const { executionId, conversationId, answerId } = run;
        const answers = toAnswerMessages(answerId, text, executionId);
        const added = conversations.append(conversationId, answers, { usage });
        await added.catch(ifMissing(undefined));
        await turns.settle(run.hash, run.executionId);
      },
    };
  },
);

const toAnswerMessages = (id: string, text: string, runId: string) =>
  text === '' ? [] : [{ id, role: 'assistant' as const, content: text, runId }];

/** @throws 409 for a repeated message. */
const alreadySent = () =>
  conflict('The conversation has a message with this id already. Send a new message with a new id');

export function dropReasoning({ content }: ChatMessage): Message['content'] {
  return typeof content === 'string' ? content : content.filter((part) => part.type !== 'reasoning');
}

const omitted = '(A file of an earlier message, which is left out)';

/** Keeps the newest files that a model takes: more would fail every later answer. The last message is left as it is. */
export function keepRecentFiles(messages: readonly Message[]): Message[] {
  let [places, bytes] = [filesMax, allBytesMax];
  const fitPart = (part: ContentPart): ContentPart => {
    if (part.type === 'text') return part;
    places--;
    bytes -= estimateBytes(part.type === 'image' ? part.image : part.data);
    return places >= 0 && bytes >= 0 ? part : { type: 'text', text: omitted };
  };
  const newestFirst = messages.toReversed().map((message, index): Message => {
    const { content } = message;
    if (typeof content === 'string') return message;
    const parts = content.toReversed().map(fitPart).toReversed();
    return index === 0 ? message : { ...message, content: parts };
  });
  return newestFirst.toReversed();
}

/** Visitors send files as base64. */
const estimateBytes = (source: string) => (source.length * 3) / 4;
