/**
 * What a chat writes into its conversation: the message of a visitor with the run that is to answer it, and the answer
 * when it ends.
 * A message is added with the note of its run and the start of an agent's run in one transaction; one whose id the
 * conversation has is a 409. A short answer of an agent is added in the transaction that ends its run and its turn
 * (`prepareAnswer`); others, and those that it refuses, in one that ends the turn, unless another message has interrupted
 * it; if a reader of the answer was quicker, it is among the newest messages and is not added again. What a run used is
 * counted also where its answer is not added, or the tenant has deleted the conversation.
 * A crash before the end leaves the message and the run, from which `settled-runs.ts` adds the answer later.
 * Callers: `open-turn.ts`, `continue-answer.ts`, `follow-answer.ts`; the forms that a page sends and sees are in
 * `chat-message.ts`.
 */
import type { Spending } from '../../adapters/ports/spending.ts';
import { conflict, hasCode, ifMissing, ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { truncate } from '../../core/text.ts';
import { type ChatTurn, ClaimRefused } from '../../domain/client-sessions/chat-turns.ts';
import {
  type ClientSession,
  type SessionRun,
  sessionRuns,
} from '../../domain/client-sessions/client-session.ts';
import { turnLeases } from '../../domain/client-sessions/turn-state.ts';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import { conversationStore } from '../../domain/conversations/conversation-store.ts';
import { type ContentPart, type Message, messageText } from '../../domain/conversations/message.ts';
import { messagePages, type RecentMessages } from '../../domain/conversations/message-pages.ts';
import { shortenAnswer } from '../../domain/conversations/message-writes.ts';
import { recentMessages } from '../../domain/conversations/recent-messages.ts';
import type { AgentRunRequest } from '../../execution/agent-runs/start-run.ts';
import { allBytesMax, filesMax } from '../../execution/model-calls/to-model-messages.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { ChatMessage } from './chat-message.ts';
import type { SessionContext } from './visitor.ts';

/** More than are added while an answer ends. */
const searchedMax = 20;
const titleCharactersMax = 80;
/** A longer answer may be offloaded, and is added by itself. */
const joinedAnswerMax = 16_000;

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

/** What the run of a message is asked. */
export type Asked = Required<Pick<AgentRunRequest, 'messages' | 'history' | 'previousMessageAt'>>;

/** With what is written when its message is. One that is only claimed may yet be refused, and creates no conversation. */
export type BegunTurn = Pick<ChatTurn, 'noteRun' | 'refusal'> & {
  alsoWrite?: readonly Write[];
  isClaimed?: boolean;
};

/** A run that starts with its message. */
export interface PreparedStart {
  writes: readonly Write[];
  /** Only if nothing was committed. */
  discard: () => Promise<void>;
}

interface History {
  conversation: Conversation;
  recent: RecentMessages;
}

const readAhead = new WeakMap<ClientSession, Promise<History | undefined>>();

export const conversationMessages = /* @__PURE__ */ using(
  [turnLeases, sessionRuns, conversationStore, messagePages, recentMessages],
  (scope: Scope) => {
    const conversations = conversationStore(scope);
    const turns = turnLeases(scope);
    const recent = recentMessages(scope);

    /** Undefined if there is none yet, or the tenant has deleted it. */
    async function findHistory({ conversationId }: ClientSession): Promise<History | undefined> {
      const conversation = conversationId
        ? await conversations.find(conversationId).catch(ifMissing(undefined))
        : undefined;
      return conversation && { conversation, recent: await recent.read(conversation) };
    }

    const readHistory = async ({ session }: SessionContext): Promise<History | undefined> =>
      (await readAhead.get(session)) ?? (await findHistory(session));

    async function createHistory(
      { token, origin, session: { target } }: SessionContext,
      { message, metadata }: Pick<NewChatMessage, 'metadata'> & { message: Message },
    ): Promise<History> {
      const flowId = target.kind === 'flow' ? target.id : null;
      const title = truncate(messageText(message).trim(), titleCharactersMax) || 'Chat';
      const client = { tokenId: token.id, flowId, origin, surfaceId: token.surface?.id ?? null };
      const conversation = await conversations.create(token, { title, metadata, client });
      return { conversation, recent: await recent.read(conversation) };
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
      /** Reads the history of a session that no run is left of, for the next message. */
      readAhead({ session }: Pick<SessionContext, 'session'>): void {
        if (session.runId !== undefined) return;
        // Whoever needs it reads it again, and sees the failure.
        readAhead.set(
          session,
          findHistory(session).catch(() => undefined),
        );
      },

      /**
       * Adds the message of a turn, and starts its run with it. A run that cannot start leaves the message without an answer.
       * @throws 409 for a message that came before.
       */
      async addMessage<Start extends PreparedStart>(
        visit: SessionContext,
        { noteRun, refusal: alsoWriteRefused, alsoWrite = [], isClaimed = false }: BegunTurn,
        { executionId, answerId, message: chatMessage, metadata }: NewChatMessage,
        prepare: (asked: Asked) => Promise<Start>,
      ): Promise<{ run: AnswerRun; started: PromiseSettledResult<Start> }> {
        const { hash, target } = visit.session;
        const message: Message = { role: 'user', content: dropReasoning(chatMessage) };
        const history =
          (await readHistory(visit)) ??
          (isClaimed ? undefined : await createHistory(visit, { message, metadata }));
        if (!history) throw alsoWriteRefused();
        const { id: conversationId } = history.conversation;
        const [started] = await Promise.allSettled([prepare(toAsked(history, message))]);
        const start = started.status === 'fulfilled' ? started.value : undefined;
        const run = { hash, executionId, target, conversationId, answerId };
        const noted = noteRun({ conversationId, runId: executionId });
        const createdAt = scope.now().toISOString();
        const added = { ...message, id: chatMessage.id ?? scope.newId('msg'), createdAt };
        const appended = await conversations
          .append(conversationId, [added], {
            current: history.conversation,
            alsoWrite: [noted, sessionRuns(scope).insert(run), ...(start?.writes ?? []), ...alsoWrite],
            alsoWriteRefused,
          })
          .then(refuseRepeated)
          .catch(async (error) => {
            if (error instanceof ServiceError || error instanceof ClaimRefused) await start?.discard();
            throw error;
          });
        recent.add(history.conversation, appended.conversation, [added]);
        return { run: { ...run, conversation: appended.conversation }, started };
      },

      /** The writes that add a short answer and end its turn, for the transaction that ends its run. */
      async prepareAnswer(
        { hash, executionId, answerId, conversation }: AnswerRun,
        turnId: string,
        text: string,
        usage: Spending,
      ): Promise<{ writes: Write[]; noteAdded: () => void } | undefined> {
        if (!conversation || text === '' || text.length > joinedAnswerMax) return undefined;
        const createdAt = scope.now().toISOString();
        const answers = toAnswerMessages(answerId, text, executionId).map((answer) => ({
          ...answer,
          createdAt,
        }));
        const { writes, conversation: after } = await conversations.prepareAppend(
          conversation,
          answers,
          usage,
        );
        return {
          writes: [...writes, turns.answeredOf(hash, turnId)],
          noteAdded: () => recent.add(conversation, after, answers),
        };
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

function toAsked({ conversation, recent }: History, message: Message): Asked {
  const { messages, ...before } = recent;
  const { id: conversationId, generation } = conversation;
  const texts = messages.flatMap(({ role, content }): Message[] =>
    content === null ? [] : [{ role, content }],
  );
  return {
    messages: keepRecentFiles([...texts, message]),
    history: { ...before, conversationId, generation },
    previousMessageAt: messages.at(-1)?.createdAt,
  };
}

function refuseRepeated<T extends { added: number }>(appended: T): T {
  if (appended.added === 0) throw alreadySent();
  return appended;
}

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
