/**
 * Reads the messages of a conversation: what a model gets, what a page shows, and the export.
 * Every read is of one generation of messages (`conversation-store.ts`) and goes through `walk`, which loads a Query or
 * 1 MB at a time and fetches offloaded contents. `readRecent` stops at the newest message that a summary covers;
 * `readBefore` pages backwards; the exporter streams forwards and ends with a cursor if it is too long.
 * A cursor names the generation, so it is refused once all messages were replaced. A content that is lost is `null`,
 * and the message stays.
 * Callers: the endpoints of conversations, and chats (`protocols/chat`).
 */
import * as z from 'zod';
import { toChunksWithin } from '../../core/chunks.ts';
import { invalidAt } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable, type ItemOf } from '../../platform/data/entity.ts';
import { countPayloadBytes, payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { countResponseBytes, responseBytesMax } from '../../platform/http/responses/body-sizes.ts';
import type { Conversation } from './conversation.ts';
import type { Message } from './message.ts';
import { messageEntity, messagesRange } from './message-items.ts';

export interface StoredMessage {
  id: string;
  role: Message['role'];
  /** `null` if the content is lost. */
  content: Message['content'] | null;
  createdAt: string;
}

type MessageItem = ItemOf<typeof messageEntity>;
type Numbered = StoredMessage & Pick<MessageItem, 'number' | 'summaryToHere' | 'instructionsToHere'>;

export interface RecentMessages {
  /** Of all messages before these. */
  summary: string | undefined;
  /** Their system messages. */
  instructions: string | undefined;
  /** Oldest first. */
  messages: StoredMessage[];
  /** The number of the first of these messages, or of the next one if there are none. */
  firstNumber: number;
}

export interface MessagePage {
  /** Oldest first. */
  messages: StoredMessage[];
  /** Leads to the messages before these; `null` if these are the first. */
  cursor: string | null;
}

/** Items that one Query returns at most. */
const perQuery = 100;
const bytesAtOnce = 1_000_000;

export const messagePages = /* @__PURE__ */ using(['table:read', payloadReader], (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadReader(scope);

  const loadContent = async ({ content, ...item }: MessageItem): Promise<Numbered> => {
    const found = (await payloads.fetchReadable(content)) as StoredMessage['content'];
    const { id, role, createdAt, number, summaryToHere, instructionsToHere } = item;
    return { id, role, content: found, createdAt, number, summaryToHere, instructionsToHere };
  };

  /**
   * Yields messages from one end of a range to the other, a Query or 1 MB at a time: a slow reader keeps so much in
   * memory.
   */
  async function* walk(
    conversation: Conversation,
    { newestFirst = false, limit = perQuery, ...bounds }: Walk,
  ): AsyncGenerator<Numbered[]> {
    const range = { ...messagesRange(conversation, bounds), newestFirst, perQuery: limit, consistent: true };
    for await (const items of table.pages(range)) {
      const messages = decodeReadable(messageEntity, items);
      for (const some of toChunksWithin(messages, bytesAtOnce, ({ content }) => countPayloadBytes(content)))
        yield await Promise.all(some.map(loadContent));
    }
  }

  /** Messages from the newest one back to one that ends them: as many as a limit, or as fit a response, and at least one. */
  async function readNewest(
    conversation: Conversation,
    { limit, to }: { limit: number; to?: number | undefined },
    isBefore: (message: Numbered) => boolean = () => false,
  ): Promise<{ page: Numbered[]; covered?: Numbered }> {
    const page: Numbered[] = [];
    let bytes = 0;
    const isFull = ({ content }: Numbered) => {
      bytes += countResponseBytes(content) + perMessageBytes;
      return page.length >= limit || (page.length > 0 && bytes > responseBytesMax);
    };
    const bounds = { newestFirst: true, limit: Math.min(limit, perQuery), ...(to !== undefined && { to }) };
    for await (const messages of walk(conversation, bounds)) {
      for (const message of messages) {
        if (isBefore(message)) return { page, covered: message };
        if (isFull(message)) return { page };
        page.push(message);
      }
      if (page.length >= limit) break;
    }
    return { page };
  }

  return {
    walk,

    /** The newest messages that no summary covers, at most as many as `limit`. */
    async readRecent(conversation: Conversation, limit: number): Promise<RecentMessages> {
      const isCovered = ({ summaryToHere }: Numbered) => summaryToHere !== undefined;
      const { page, covered } = await readNewest(conversation, { limit }, isCovered);
      const firstNumber = page.at(-1)?.number ?? conversation.messageCount;
      const { summaryToHere: summary, instructionsToHere: instructions } = covered ?? {};
      return { summary, instructions, messages: toMessages(page), firstNumber };
    },

    /** As many as `limit`, or as fit a response; at least one. @throws 400 for a cursor of another conversation or generation. */
    async readBefore(
      conversation: Conversation,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ): Promise<MessagePage> {
      const to = cursor === undefined ? undefined : decodeCursor(conversation, cursor) - 1;
      if (to === -1) return { messages: [], cursor: null };
      const { page } = await readNewest(conversation, { limit, to });
      const oldest = page.at(-1)?.number ?? 0;
      return { messages: toMessages(page), cursor: oldest > 0 ? encodeCursor(conversation, oldest) : null };
    },
  };
});

const toMessages = (newestFirst: readonly Numbered[]): StoredMessage[] =>
  newestFirst.toReversed().map(({ id, role, content, createdAt }) => ({ id, role, content, createdAt }));

interface Walk {
  from?: number;
  to?: number;
  newestFirst?: boolean;
  limit?: number;
}

/** More than the members of a message take beside its content. */
const perMessageBytes = 1_500;

const Cursor = z.strictObject({ generation: z.string(), number: z.int().min(0).max(99_999_999) });

const encodeCursor = ({ generation }: Conversation, number: number) =>
  Buffer.from(JSON.stringify({ generation, number })).toString('base64url');

/** The number of the message next to the page. @throws 400 */
function decodeCursor({ generation }: Conversation, cursor: string, path = 'messagesCursor'): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const { data } = z
    .string()
    .transform((json, context) => {
      try {
        return JSON.parse(json) as unknown;
      } catch {
        context.addIssue('Expected JSON');
        return z.NEVER;
      }
    })
    .pipe(Cursor)
    .safeParse(text);
  if (data?.generation === generation) return data.number;
  throw invalidAt(
    path,
    'INVALID_CURSOR',
    'Not a cursor of this conversation, or its messages were replaced since. Omit the cursor to start again',
  );
}

/** A streamed response has 200 MB. */
const exportBytesMax = 100_000_000;

/** Yields a conversation as lines of JSON: itself, then its messages, oldest first. */
export const conversationExporter = /* @__PURE__ */ using(
  [messagePages],
  (scope: Scope, pages: Pick<ReturnType<typeof messagePages>, 'walk'> = messagePages(scope)) => {
    async function* writeLines(
      conversation: Conversation,
      from: number,
      head: object,
    ): AsyncGenerator<string> {
      yield `${JSON.stringify({ type: 'conversation', ...head })}\n`;
      let bytes = 0;
      for await (const messages of pages.walk(conversation, { from })) {
        for (const { number, id, role, content, createdAt } of messages) {
          if (bytes > exportBytesMax) {
            const next = encodeCursor(conversation, number);
            yield `${JSON.stringify({ type: 'more', after: next })}\n`;
            return;
          }
          const line = `${JSON.stringify({ type: 'message', id, role, content, createdAt })}\n`;
          bytes += Buffer.byteLength(line);
          yield line;
        }
      }
    }

    /** @param after The cursor of a former export's last line. @throws 400 */
    return (conversation: Conversation, head: object, after?: string): AsyncGenerator<string> =>
      writeLines(conversation, after === undefined ? 0 : decodeCursor(conversation, after, 'after'), head);
  },
);
